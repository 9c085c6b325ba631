import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { type BuildOptions, build, type Plugin, stop } from 'esbuild'
import { parse } from 'yaml'
import { DAY_MS } from '#lib/base/calendar.ts'
import { BUILT_FOLDER, type BuiltProgram, findBuilt, inputStamp } from '#tools/machine/built-program.ts'
import { root } from '#tools/machine/program.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { COMMANDS, isOfACheckout } from '../command-list.ts'
import { bundleConsole, filesOfConsole } from './console-build.ts'
import { BUILT_LOG, servedPaths, servedRoutes } from './function-routes.ts'
import { logTo } from './source-gateway.ts'

/** The options in infra/esbuild.yml. */
export function esbuildOptions(): BuildOptions {
  const options = parse(readFileSync(`${root}infra/esbuild.yml`, 'utf8')) as Record<string, unknown>
  return { ...options, plugins: createRequire(import.meta.url)(root + options['plugins']) }
}

/** The options that build the program with all its packages: for Node alone, and each command by itself. */
export async function programOptions(machine = `${process.platform}-${process.arch}`): Promise<BuildOptions> {
  const { supported: _lambda, alias: _ofAws, plugins = [], ...options } = esbuildOptions()
  return {
    ...options,
    absWorkingDir: root,
    format: 'esm',
    splitting: true,
    minify: false,
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    logLevel: 'silent',
    external: ['esbuild', ...Object.keys(packageJson.peerDependencies)],
    loader: { ...options.loader, '.node': 'copy' },
    plugins: [...plugins, logTo(BUILT_LOG), lockOf(machine), leanHttp, await filesInside()],
    // Packages that are CommonJS ask for modules of Node.
    banner: {
      js: "import { createRequire as moduleRequire } from 'node:module'; const require = moduleRequire(import.meta.url)",
    },
  }
}

/** The package of file locks looks for its binary where npm installs it. */
const lockOf = (machine: string): Plugin => ({
  name: 'native-lock',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]fs-native-extensions[\\/]binding\.js$/ }, () => ({
      contents: `module.exports = require('./prebuilds/${machine}/fs-native-extensions.node')`,
    })),
})

/** An import of `node:http` reads all its exports, of which WebSocket loads 20 ms of code. */
const leanHttp: Plugin = {
  name: 'lean-http',
  setup: ({ onResolve, onLoad }) => {
    const present = Object.entries(Object.getOwnPropertyDescriptors(http)).filter(([, { value }]) => value)
    const contents = `const http = process.getBuiltinModule('node:http')
export default http
export const { ${present.map(([name]) => name)} } = http`
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'lean-http' }))
    onLoad({ filter: /^/, namespace: 'lean-http' }, () => ({ contents }))
  },
}

/** The files that the program loads by their paths: of commands, and of functions with their routes. */
async function filesInside(): Promise<Plugin> {
  const commands = commandsInside().map((name) => `tools/commands/${name}/${name}`)
  const paths = [...commands, ...(await servedPaths())].filter((path) => existsSync(`${root}${path}.ts`))
  const loaders = paths.map((path) => `'${path}': () => import('#${path}.ts')`)
  const contents = `export const builtFiles = {${loaders}}
export const builtRoutes = ${JSON.stringify(await servedRoutes())}`
  return {
    name: 'files-inside',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^#(functions|tools)\// }, ({ path }) => ({ path: root + path.slice(1) }))
      onLoad({ filter: /\/built-files\.ts$/ }, () => ({ contents }))
    },
  }
}

const commandsInside = () => Object.keys(COMMANDS).filter((name) => !isOfACheckout(name))

const PROGRAM = 'tools/tollgate.ts'

/** Inputs that esbuild does not name, and the folders in which a new file counts. */
const OTHER_INPUTS = [
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
  'infra/esbuild.yml',
  'infra/esbuild-plugins.cjs',
  'console/index.html',
  'docs/openapi.json',
  'functions/',
  'functions/**/',
]

/** A file that has changed so shortly before a build may have changed while the build read it. */
const EDIT_MS = 1000

/** npm notes each install in one file, which spares a start to look at 1,500 files of packages. */
const isNotNoted = () => {
  const isNoted = existsSync(`${root}node_modules/.package-lock.json`)
  return (path: string): boolean => !isNoted || !path.includes('node_modules/')
}

/**
 * Builds the program of this checkout and its page for the next start, and for commands. The files of the
 * build before stay, and those of a day: a program that runs may still load them.
 */
async function buildProgram(): Promise<void> {
  if (findBuilt()) return
  const startedAt = Date.now()
  const [code, page] = await Promise.all([
    programOptions().then((options) =>
      build({
        ...options,
        entryPoints: [PROGRAM],
        outdir: BUILT_FOLDER,
        entryNames: '[name]-[hash]',
        outExtension: { '.js': '.mjs' },
        write: false,
      }),
    ),
    bundleConsole(),
  ])
  const names = [code, page].flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const paths = [...names.filter(isNotNoted()), ...globSync(OTHER_INPUTS, { cwd: root })]
  const inputs = Object.fromEntries(paths.map((path) => [path, inputStamp(path)]))
  if (Object.values(inputs).some((stamp) => Number.parseFloat(stamp) > startedAt - EDIT_MS)) return
  const texts = JSON.stringify(await filesOfConsole(page))
  const pageName = `page-${createHash('sha1').update(texts).digest('hex').slice(0, 8)}.json`
  const files = new Map<string, string | Uint8Array>([[pageName, texts]])
  for (const { path, contents } of code.outputFiles ?? []) files.set(basename(path), contents)
  const outputs = Object.entries(code.metafile?.outputs ?? {})
  const [program = ''] = outputs.find(([, { entryPoint }]) => entryPoint === PROGRAM) ?? []
  const present = { program, page: `${BUILT_FOLDER}/${pageName}`, files: [...files.keys()] }
  const built = { inputs, ...present, commands: commandsInside() }
  const { files: before = [] } = await readFile(pathOf('program.json'), 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  await mkdir(root + BUILT_FOLDER, { recursive: true })
  for (const [name, contents] of files) if (!existsSync(pathOf(name))) await replaceFile(name, contents)
  await replaceFile('program.json', JSON.stringify(built satisfies BuiltProgram))
  await removeEarlier(new Set([...present.files, ...before]))
}

async function removeEarlier(stays: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(root + BUILT_FOLDER))
    if (!stays.has(name) && Date.now() - (await stat(pathOf(name))).mtimeMs > DAY_MS) await rm(pathOf(name))
}

const pathOf = (name: string): string => `${root}${BUILT_FOLDER}/${name}`

/** A reader finds the whole file or none, also after a power failure. */
async function replaceFile(name: string, contents: string | Uint8Array): Promise<void> {
  const draft = pathOf(randomUUID())
  await writeFile(draft, contents, { flush: true })
  await rename(draft, pathOf(name))
}

/** Builds the program while this one runs. Returns what ends it, also before it is done. */
export function buildMeanwhile(): () => Promise<void> {
  // Best effort: without it, the next start takes longer.
  buildProgram().catch(() => {})
  return async () => stop()
}
