import { readFile } from 'node:fs/promises'
import { memoize } from '#lib/base/collections.ts'
import { root } from '#tools/machine/program.ts'
import { consoleFileName, consoleType } from '../../console/served/console-file.ts'
import { consoleRoutes } from './console-routes.ts'
import { BUILT_LOG, receiveLog, routesOfBuild, type ServeFunctions } from './function-routes.ts'
import { startGateway } from './gateway.ts'

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
  const routes = [...beside, ...consoleRoutes(pageFile, demoKey), ...routesOfBuild()]
  const close = receiveLog(BUILT_LOG, log)
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
