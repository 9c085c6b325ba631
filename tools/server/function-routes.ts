import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Handler } from '#lib/api/stack/stack.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { consoleConfigs, loadResourceFiles, resourcePaths } from '#tools/contracts/console-config.ts'
import { functionPaths, loadFunctionFiles } from '#tools/contracts/function-files.ts'
import {
  CONTROL_PATHS,
  functionConfigs,
  INTAKE_PATH,
  STRIPE_PATHS,
} from '#tools/contracts/functions-config.ts'
import { builtRoutes, type ServedRoute } from '#tools/machine/built-files.ts'
import { loadFile } from '#tools/machine/program.ts'
import { printLine } from '#tools/machine/terminal.ts'
import type { Route } from './gateway.ts'
import { readableLine } from './readable-log.ts'

export interface ServedFunctions {
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
  /** The functions of a checkout are built into this folder. It is removed at the end. */
  readonly folder: string
  readonly host?: string | undefined
  /** Receives each line of the log of the functions. By default it is printed for a person. */
  readonly log?: ((line: LogFields) => void) | undefined
  /** Routes in addition to those of the API and the console. */
  readonly beside?: readonly Route[] | undefined
  /** Requests wait for this: a dataset is loaded while the functions are built. */
  readonly ready?: Promise<unknown> | undefined
  /** Receives a sentence about each edit. */
  readonly print: (sentence: string) => void
  /** The secret key of the demo, if its data is served. */
  readonly demoKey?: string | undefined
}

export interface FunctionModule {
  readonly handler: Handler
}

/** `npm start` has no queue: this intake mediates CDR documents at once. */
const LOCAL_INTAKE = 'functions/ingest/intake_locally'

/** The paths of the functions that one machine serves, from the root and without the extension. */
export const servedPaths = async (): Promise<string[]> => [
  ...(await functionPaths()),
  ...(await resourcePaths()),
  'functions/not_found',
  LOCAL_INTAKE,
  ...Object.values({ ...CONTROL_PATHS, ...STRIPE_PATHS }),
]

/** The routes of the functions. `load` returns the module at a path, to read its contract. */
export async function servedRoutes(load: (path: string) => unknown = loadFile): Promise<ServedRoute[]> {
  const { console: _page, ...resources } = consoleConfigs(await loadResourceFiles(load))
  const configs = { ...resources, ...functionConfigs(await loadFunctionFiles(load)) }
  const routes = Object.values(configs).flatMap(({ handler, events, timeout }) =>
    events.map(({ http: { path, method } }) => ({
      path,
      ...verbsOf(method),
      timeout,
      file: handler.replace(/\.handler$/, ''),
    })),
  )
  const ofOthers = { [INTAKE_PATH]: LOCAL_INTAKE, ...CONTROL_PATHS, ...STRIPE_PATHS }
  return [...Object.entries(ofOthers).map(([path, file]) => ({ path, file })), ...routes]
}

export async function functionRoutes(modules: Readonly<Record<string, FunctionModule>>): Promise<Route[]> {
  const moduleAt = (path: string): FunctionModule => {
    const module = modules[path]
    if (!module) throw new Error(`${path}.ts has not been built`)
    return module
  }
  return (await servedRoutes(moduleAt)).map(({ file, ...route }) => ({
    ...route,
    handler: moduleAt(file).handler,
  }))
}

/** The routes of a built program, which loads a function with its first request. */
export const routesOfBuild = (): Route[] =>
  builtRoutes.map(({ file, ...route }) => ({
    ...route,
    handler: async (...request) => ((await loadFile(file)) as FunctionModule).handler(...request),
  }))

/** Methods of the API answer every verb. */
const verbsOf = (method: string) => (method === 'any' ? {} : { verbs: [method.toUpperCase()] })

/** The channel that the functions of a built program write their log to. */
export const BUILT_LOG = 'tollgate.log'

/** The build of functions replaces the file that writes their log with this: a channel of this process. */
export const logChannelModule = (name: string): string => `import { channel } from 'node:diagnostics_channel'
const lines = channel('${name}')
export const writeLogLine = (line) => lines.publish(line)`

/** Receives the lines of such a channel. Returns what ends it. */
export function receiveLog(
  name: string,
  log: (line: LogFields) => void = (line) => printLine(readableLine(line, new Date())),
): () => void {
  const receive = (line: unknown) => log(line as LogFields)
  subscribe(name, receive)
  return () => unsubscribe(name, receive)
}
