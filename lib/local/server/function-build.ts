import { readdir } from 'node:fs/promises'
import { type BuildContext, type BuildOptions, context, type Message, type Plugin } from 'esbuild'
import { functionPaths } from '#lib/local/contracts/function-files.ts'
import { root } from '#lib/local/location.ts'

/** `npm start` has no queue: what switches send over HTTP is mediated at once. */
export const LOCAL_INTAKE = 'functions/ingest/intake_locally'

/**
 * Builds all functions into one module, which exports each under its path: now, and again after each edit. `built` is
 * called after each build, with the error of one that failed. Resolves after its first call.
 */
export async function watchFunctions(
  outfile: string,
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
  const build = await context({ ...OPTIONS, outfile, plugins: [everyFunction, report] })
  await build.watch()
  await firstCall
  return build
}

/** Dependencies stay outside: all builds share one copy of them. */
const OPTIONS: BuildOptions = {
  absWorkingDir: root,
  entryPoints: ['every-function'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'silent',
}

/** A new file or folder below functions/ is an edit as well. */
const everyFunction: Plugin = {
  name: 'every-function',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^every-function$/ }, ({ path }) => ({ path, namespace: path }))
    onLoad({ filter: /^/, namespace: 'every-function' }, async () => {
      const paths = [...(await functionPaths()), 'functions/not_found', LOCAL_INTAKE]
      const contents = paths.map((path) => `export * as '${path}' from './${path}.ts'`).join('\n')
      return { contents, resolveDir: root, watchDirs: await functionFolders() }
    })
  },
}

async function functionFolders(): Promise<string[]> {
  const entries = await readdir(`${root}functions`, { withFileTypes: true })
  const areas = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `/${name}`)
  return ['', ...areas].map((area) => `${root}functions${area}`)
}
