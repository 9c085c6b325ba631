import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdir, rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type BuildContext, type BuildOptions, context, type Message, type Plugin } from 'esbuild'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { consoleConfigs, loadResourceFiles, resourcePaths } from '#tools/contracts/console-config.ts'
import { functionPaths, loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { CONTROL_PATHS, functionConfigs, INTAKE_PATH } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/location.ts'
import { printLine } from '#tools/machine/terminal.ts'
import { consoleRoutes } from './console-routes.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'
import { readableLine } from './readable-log.ts'

export interface SourceOptions {
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
  /** The functions are built into this folder. It is removed at the end. */
  readonly folder: string
  readonly host?: string | undefined
  /** Receives each line of the log of the functions. By default it is printed for a person. */
  readonly log?: ((line: LogFields) => void) | undefined
  /** Routes beside those of the API and the console. */
  readonly beside?: readonly Route[] | undefined
  /** Receives a sentence about each edit. */
  readonly tell: (sentence: string) => void
  /** The secret key of the demo, if its data is served. */
  readonly demoKey?: string | undefined
}

/**
 * Serves the functions and the console from the source. Requests wait for the first build. Edits reload
 * automatically, new methods included. While the source cannot be built, the answer to every call is the
 * reason. Each reload keeps some megabytes in memory.
 */
export async function serveSource(options: SourceOptions): Promise<Gateway> {
  const { port, host, environment, folder, beside = [], tell, demoKey } = options
  // Functions read the environment when they are loaded.
  Object.assign(process.env, environment, { IS_OFFLINE: 'true' })
  const page = [...beside, ...consoleRoutes(demoKey)]
  let routes: readonly Route[] = []
  let beginAnswering = () => {}
  const isBuilt = new Promise<void>((resolve) => {
    beginAnswering = resolve
  })
  const gateway = await startGateway({ port, host }, () => isBuilt.then(() => [...page, ...routes]))

  const file = `${folder}/functions.mjs`
  let loads = 0
  const reload = async (error: Message | undefined) => {
    const loaded = error ? buildComplaint(error) : await loadRoutes(file, loads++).catch(loadComplaint)
    const isComplaint = typeof loaded === 'string'
    routes = isComplaint ? complaintRoutes(loaded) : loaded
    if (isComplaint) tell(loaded)
    else if (loads > 1) tell('The source has changed and is loaded again.')
    beginAnswering()
  }
  const lines = logChannel(options.log ?? ((line) => printLine(readableLine(line, new Date()))))
  const build = await watchFunctions(file, [lines.plugin], reload)
  const stop = async () => {
    await gateway.stop()
    lines.close()
    await build.dispose()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...gateway, stop }
}

interface FunctionModule {
  readonly handler: Handler
}

/** Node caches modules by URL, so each load needs another query. */
async function loadRoutes(file: string, query: number): Promise<Route[]> {
  const modules: Readonly<Record<string, FunctionModule>> = await import(`${pathToFileURL(file)}?${query}`)
  const moduleAt = (path: string): FunctionModule => {
    const module = modules[path]
    if (!module) throw new Error(`${path}.ts has not been built`)
    return module
  }
  const { console: _page, ...resources } = consoleConfigs(await loadResourceFiles(moduleAt))
  const configs = { ...resources, ...functionConfigs(await loadFunctionFiles(moduleAt)) }
  const routes = Object.values(configs).flatMap(({ handler: name, events, timeout }) => {
    const { handler } = moduleAt(name.replace(/\.handler$/, ''))
    return events.map(({ http: { path, method } }) => ({ path, ...verbsOf(method), handler, timeout }))
  })
  const ofSwitches = { [INTAKE_PATH]: LOCAL_INTAKE, ...CONTROL_PATHS }
  return [
    ...Object.entries(ofSwitches).map(([path, module]) => ({ path, handler: moduleAt(module).handler })),
    ...routes,
  ]
}

/** Methods of the API answer every verb. */
const verbsOf = (method: string) => (method === 'any' ? {} : { verbs: [method.toUpperCase()] })

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

/** `npm start` has no queue: this intake mediates CDR documents at once. */
const LOCAL_INTAKE = 'functions/ingest/intake_locally'

/**
 * Builds all functions into one module, which exports each under its path, and builds it again after each
 * edit. Calls `built` after each build, with the error of a failed one. Resolves after the first call.
 */
async function watchFunctions(
  outfile: string,
  log: readonly Plugin[],
  built: (error: Message | undefined) => Promise<void>,
): Promise<BuildContext> {
  let isFirstDone = () => {}
  const firstCall = new Promise<void>((resolve) => {
    isFirstDone = resolve
  })
  const report: Plugin = {
    name: 'report',
    setup: ({ onEnd }) => onEnd(({ errors }) => built(errors[0]).then(isFirstDone)),
  }
  const build = await context({ ...OPTIONS, outfile, plugins: [everyFunction, ...log, report] })
  await build.watch()
  await firstCall
  return build
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
      const paths = [
        ...(await functionPaths()),
        ...(await resourcePaths()),
        'functions/not_found',
        LOCAL_INTAKE,
        ...Object.values(CONTROL_PATHS),
      ]
      const contents = paths.map((path) => `export * as '${path}' from './${path}.ts'`).join('\n')
      return { contents, resolveDir: root, watchDirs: await functionFolders() }
    })
  },
}

/** Puts a channel of this process in the place of the file that writes lines of the log. */
function logChannel(log: (line: LogFields) => void) {
  const name = `tollgate.log.${randomUUID()}`
  const receive = (line: unknown) => log(line as LogFields)
  subscribe(name, receive)
  const contents = `import { channel } from 'node:diagnostics_channel'
const lines = channel('${name}')
export const writeLogLine = (line) => lines.publish(line)`
  const plugin: Plugin = {
    name: 'log-channel',
    setup: ({ onLoad }) => onLoad({ filter: /\/log-line\.ts$/ }, () => ({ contents })),
  }
  return { plugin, close: () => unsubscribe(name, receive) }
}

async function functionFolders(): Promise<string[]> {
  const entries = await readdir(`${root}functions`, { withFileTypes: true })
  const areas = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `/${name}`)
  return ['', ...areas].map((area) => `${root}functions${area}`)
}
