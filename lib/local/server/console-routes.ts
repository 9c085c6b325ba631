import type { HapiRequest, HapiServer, HapiToolkit } from 'serverless-offline'
import {
  CONSOLE_HEADERS,
  CONSOLE_PATHS,
  CONSOLE_TYPES,
  type ConsolePath,
  isConsolePath,
} from '#lib/console/headers.ts'
import { buildConsole, type ConsoleFiles } from './console-files.ts'

/** Serves the console beside the API. It is built when somebody first asks for it: the start does not wait for it. */
export function serveConsole(server: HapiServer): void {
  let files: Promise<ConsoleFiles> | undefined
  const filesOnce = () => {
    files ??= buildConsole()
    return files
  }
  for (const path of CONSOLE_PATHS) {
    server.route({ method: 'GET', path, handler: async (_request, h) => answer(h, await filesOnce(), path) })
  }
}

function answer(h: HapiToolkit, files: ConsoleFiles, path: ConsolePath) {
  const response = h.response(files[path]).code(200)
  for (const [name, value] of Object.entries({ ...CONSOLE_HEADERS, 'Content-Type': CONSOLE_TYPES[path] })) {
    response.header(name, value)
  }
  return response
}

/** Whether an answer is a file of the console, and so rightly not XML. */
export const isOfConsole = ({ route: { path } }: HapiRequest): boolean => isConsolePath(path)
