import { randomUUID } from 'node:crypto'
import { watch } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildOptions, Message, Plugin } from 'esbuild'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { findBuilt, RELEASE_PAGE } from '#tools/machine/built-program.ts'
import { isRelease, isSource, root } from '#tools/machine/program.ts'
import type { ConsoleFiles } from './console-build.ts'
import { consoleRoutes } from './console-routes.ts'
import {
  BUILT_LOG,
  functionRoutes,
  logChannelModule,
  receiveLog,
  routesOfBuild,
  type ServedFunctions,
  servedPaths,
} from './function-routes.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'

/**
 * Serves the functions and the console. A release, which is built, has both in it, and so has a checkout that
 * runs what it has built, until the first edit. Otherwise requests wait for the first build of the source.
 * Edits reload automatically, new methods included. While the source cannot be built, every call gets the
 * reason. Each reload keeps some megabytes in memory.
 */
export async function serveSource(options: ServedFunctions): Promise<Gateway> {
  const { port, host, environment, folder, beside = [], ready, print, demoKey } = options
  // Functions read the environment when they are loaded.
  Object.assign(process.env, environment, { IS_OFFLINE: 'true' })
  const page = [...beside, ...consoleRoutes(sourcePage(), demoKey)]
  let routes: readonly Route[] = isSource ? [] : [...page, ...routesOfBuild()]
  let beginAnswering = () => {}
  const isBuilt = isSource
    ? new Promise<void>((resolve) => {
        beginAnswering = resolve
      })
    : undefined
  const gateway = await startGateway({ port, host }, async () => {
    await Promise.all([isBuilt, ready])
    return routes
  })

  const file = `${folder}/functions.mjs`
  let loads = isSource ? 0 : 1
  const reload = async (error: Message | undefined) => {
    const loaded = error ? buildComplaint(error) : await loadRoutes(file, loads++).catch(loadComplaint)
    const isComplaint = typeof loaded === 'string'
    routes = [...page, ...(isComplaint ? complaintRoutes(loaded) : loaded)]
    if (isComplaint) print(loaded)
    else if (loads > 1) print('The source has changed and is loaded again.')
    beginAnswering()
  }
  const channel = isSource ? `tollgate.log.${randomUUID()}` : BUILT_LOG
  const close = receiveLog(channel, options.log)
  const begin = () => watchFunctions(file, channel, reload)
  const endWatching = isSource ? await begin() : afterFirstEdit(begin)
  const stop = async () => {
    await gateway.stop()
    close()
    await endWatching()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...gateway, stop }
}

/** Node caches modules by URL, so each load needs another query. */
const loadRoutes = async (file: string, query: number): Promise<Route[]> =>
  functionRoutes(await import(`${pathToFileURL(file)}?${query}`))

/** Each load of the page builds it, unless it is built: the start does not wait, and edits take effect. */
function sourcePage(): (path: string) => Promise<string | undefined> {
  let files: Promise<ConsoleFiles> | undefined
  return async (path) => {
    if (path === '/' || !files) files = presentPage()
    return (await files)[path]
  }
}

async function presentPage(): Promise<ConsoleFiles> {
  const built = isRelease ? RELEASE_PAGE : findBuilt()?.page
  if (built) return JSON.parse(await readFile(root + built, 'utf8'))
  return (await import('./console-build.ts')).buildConsole()
}

/** Begins to watch the source with the first edit since the program was built. Returns what ends it. */
function afterFirstEdit(begin: () => Promise<EndWatching>): EndWatching {
  if (isRelease) return async () => {}
  let watching: Promise<EndWatching> | undefined
  const edited = () => {
    watching ??= begin()
  }
  const paths = Object.keys(findBuilt()?.inputs ?? {}).filter((path) =>
    /^(console|functions|lib)\//.test(path),
  )
  if (paths.length === 0) edited()
  const watchers = [...new Set(paths.map(dirname))].flatMap((folder) => {
    try {
      return [watch(root + folder, edited)]
    } catch {
      // The system watches no more folders. esbuild reads the files again and again instead.
      edited()
      return []
    }
  })
  return async () => {
    for (const watcher of watchers) watcher.close()
    await (await watching)?.()
  }
}

const complaintRoutes = (complaint: string): Route[] =>
  ['/api/{method+}', '/intake/{format+}', '/calls/{path+}', '/console/api/{resource+}'].map((path) => ({
    path,
    handler: async () => ({
      statusCode: 500,
      headers: HEADERS_BELOW_METHODS,
      body: wholeDocument(refusalBelowMethods(complaint)),
    }),
  }))

const loadComplaint = (error: unknown): string =>
  `The source cannot be loaded: ${error instanceof Error ? error.message : error}`

function buildComplaint({ text, location }: Message): string {
  const place = location ? `${location.file}:${location.line}:${location.column + 1}: ` : ''
  return `The source cannot be built: ${place}${text}`
}

type EndWatching = () => Promise<void>

/**
 * Builds all functions into one module, which exports each under its path, and builds it again after each
 * edit. Calls `built` after each build, with the error of a failed one. Resolves after the first call.
 */
async function watchFunctions(
  outfile: string,
  channel: string,
  built: (error: Message | undefined) => Promise<void>,
): Promise<EndWatching> {
  let isFirstDone = () => {}
  const firstCall = new Promise<void>((resolve) => {
    isFirstDone = resolve
  })
  const report: Plugin = {
    name: 'report',
    setup: ({ onEnd }) => onEnd(({ errors }) => built(errors[0]).then(isFirstDone)),
  }
  const { context } = await import('esbuild')
  const build = await context({ ...OPTIONS, outfile, plugins: [everyFunction, logTo(channel), report] })
  await build.watch()
  await firstCall
  return () => build.dispose()
}

/** Dependencies are not bundled, so that all builds share one copy of them. */
const OPTIONS: BuildOptions = {
  absWorkingDir: root,
  entryPoints: ['every-function'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  sourcemap: true,
  logLevel: 'silent',
}

/** The module of all functions. A new file or folder below functions/ also counts as an edit. */
const everyFunction: Plugin = {
  name: 'every-function',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^every-function$/ }, ({ path }) => ({ path, namespace: path }))
    onLoad({ filter: /^/, namespace: 'every-function' }, async () => {
      const paths = await servedPaths()
      const contents = paths.map((path) => `export * as '${path}' from './${path}.ts'`).join('\n')
      return { contents, resolveDir: root, watchDirs: await functionFolders() }
    })
  },
}

export const logTo = (channel: string): Plugin => ({
  name: 'log-channel',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/log-line\.ts$/ }, () => ({ contents: logChannelModule(channel) })),
})

async function functionFolders(): Promise<string[]> {
  const entries = await readdir(`${root}functions`, { withFileTypes: true })
  const areas = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `/${name}`)
  return ['', ...areas].map((area) => `${root}functions${area}`)
}
