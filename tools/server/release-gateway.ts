import { readFile } from 'node:fs/promises'
import { memoize } from '#lib/base/collections.ts'
import { loadFile, root } from '#tools/machine/program.ts'
import { consoleFileName, consoleType } from '../../console/served/console-file.ts'
import { consoleRoutes } from './console-routes.ts'
import {
  type FunctionModule,
  functionRoutes,
  receiveLog,
  type ServeFunctions,
  servedPaths,
} from './function-routes.ts'
import { startGateway } from './gateway.ts'

/** The channel that the functions of a release write their log to. */
export const RELEASE_LOG = 'tollgate.log'

/** The folder of a release with the files of the page. */
export const RELEASE_PAGE = 'console'

/** Serves the functions and the page of a release, which are built. */
export const serveRelease: ServeFunctions = async ({
  port,
  host,
  environment,
  beside = [],
  ready,
  log,
  demoKey,
}) => {
  // Functions read the environment when they are loaded.
  Object.assign(process.env, environment, { IS_OFFLINE: 'true' })
  const modules = await Promise.all(
    (await servedPaths()).map(async (path) => [path, (await loadFile(path)) as FunctionModule] as const),
  )
  const routes = [
    ...beside,
    ...consoleRoutes(pageFile, demoKey),
    ...(await functionRoutes(Object.fromEntries(modules))),
  ]
  const close = receiveLog(RELEASE_LOG, log)
  const gateway = await startGateway({ port, host }, async () => {
    await ready
    return routes
  })
  return { ...gateway, stop: () => gateway.stop().then(close) }
}

const pageFile = memoize(
  async (path: string): Promise<string | undefined> =>
    consoleType(path) &&
    readFile(`${root}${RELEASE_PAGE}/${consoleFileName(path)}`, 'utf8').catch(() => undefined),
)
