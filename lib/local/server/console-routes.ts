import { CONSOLE_HEADERS, CONSOLE_PATHS, CONSOLE_TYPES } from '#lib/console/headers.ts'
import { buildConsole, type ConsoleFiles } from './console-files.ts'
import type { Route } from './gateway.ts'

/** The console beside the API. Each load of its page builds it: the start does not wait, and edits are seen. */
export function consoleRoutes(): Route[] {
  let files: Promise<ConsoleFiles> | undefined
  return CONSOLE_PATHS.map((path) => ({
    path,
    verbs: ['GET', 'HEAD'],
    handler: async () => {
      if (path === '/' || !files) files = buildConsole()
      const headers = { ...CONSOLE_HEADERS, 'Content-Type': CONSOLE_TYPES[path] }
      return { statusCode: 200, headers, body: (await files)[path] }
    },
  }))
}
