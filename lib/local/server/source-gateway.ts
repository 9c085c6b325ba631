import '#lib/local/quiet-sdk.ts'
import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { Message } from 'esbuild'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { functionConfigs, INTAKE_PATH } from '#lib/local/contracts/functions-config.ts'
import type { Handler } from '#lib/stack/stack.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { consoleRoutes } from './console-routes.ts'
import { LOCAL_INTAKE, watchFunctions } from './function-build.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'

export interface SourceOptions {
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
  /** The functions are built into it; it is removed at the end. */
  readonly folder: string
  /** Receives a sentence about each edit. */
  readonly tell: (sentence: string) => void
}

/**
 * Serves the functions and the console as the source has them. Edits reload automatically, new methods included. While
 * the source cannot be built, every call is answered with the reason. Each reload keeps some megabytes in memory.
 */
export async function serveSource({ port, environment, folder, tell }: SourceOptions): Promise<Gateway> {
  // A function reads its environment when it is loaded.
  Object.assign(process.env, environment, { IS_OFFLINE: 'true' })
  const page = consoleRoutes()
  let routes = complaintRoutes('The functions are being built')
  const gateway = await startGateway(port, () => [...page, ...routes])

  const file = `${folder}/functions.mjs`
  let loads = 0
  const reload = async (error: Message | undefined) => {
    const loaded = error ? buildComplaint(error) : await loadRoutes(file, loads++).catch(loadComplaint)
    const isComplaint = typeof loaded === 'string'
    routes = isComplaint ? complaintRoutes(loaded) : loaded
    if (isComplaint) tell(loaded)
    else if (loads > 1) tell('The source has changed and is loaded again.')
  }
  const build = await watchFunctions(file, reload)
  const stop = async () => {
    await gateway.stop()
    await build.dispose()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...gateway, stop }
}

interface FunctionModule {
  readonly handler: Handler
}

/** Node loads a module once for each query of its address. */
async function loadRoutes(file: string, query: number): Promise<Route[]> {
  const modules: Readonly<Record<string, FunctionModule>> = await import(`${pathToFileURL(file)}?${query}`)
  const moduleAt = (path: string): FunctionModule => {
    const module = modules[path]
    if (!module) throw new Error(`${path}.ts has not been built`)
    return module
  }
  const configs = functionConfigs(await loadFunctionFiles(moduleAt))
  const routes = Object.values(configs).flatMap(({ handler: name, events, timeout }) => {
    const { handler } = moduleAt(name.replace(/\.handler$/, ''))
    return events.map(({ http: { path } }) => ({ path, handler, timeout }))
  })
  return [{ path: INTAKE_PATH, handler: moduleAt(LOCAL_INTAKE).handler }, ...routes]
}

const complaintRoutes = (complaint: string): Route[] =>
  ['/api/{method+}', '/intake/{format+}'].map((path) => ({
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
