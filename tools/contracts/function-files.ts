import { basename, dirname } from 'node:path'
import type { Method } from '#lib/api/method.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { filesBelow, loadFile, root } from '#tools/machine/program.ts'
import { CommandError } from '#tools/machine/terminal.ts'

export interface FunctionFile {
  /** The folder: session, devices, ... */
  readonly area: string
  /** The path from the root, without the extension: functions/devices/devices_get */
  readonly path: string
  readonly method: Method
}

/**
 * Loads every method, by area, then by name. The files in functions/ are the list: no method is registered
 * elsewhere. functions/ingest/ holds consumers and functions/console/ resources of the console's API, not
 * methods. `load` returns the module at a path.
 */
export async function loadFunctionFiles(
  load: (path: string) => unknown = loadSource,
): Promise<FunctionFile[]> {
  const paths = await functionPaths()
  return Promise.all(paths.map(async (path) => functionFile(path, await load(path))))
}

/** Throws CommandError for a file that cannot be built or run, with the place in it if that is known. */
async function loadSource(path: string): Promise<unknown> {
  try {
    return await loadFile(path)
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error).replaceAll(root, '')
    throw new CommandError(`${placeAndReason(`${path}.ts`, reason)}: correct it first`)
  }
}

/** The second line of esbuild has the place and the reason. */
function placeAndReason(file: string, message: string): string {
  const [first = '', built] = message.split('\n')
  return (built?.replace(': ERROR: ', ': ') ?? `${file}: ${first}`).replace(/\.$/, '')
}

/** The paths of all methods, from the root and without the extension. */
export const functionPaths = async (): Promise<string[]> =>
  (await filesBelow('functions')).filter((path) => METHOD_FILE.test(path))

const METHOD_FILE = /^functions\/(?!ingest\/|console\/)[^/]+\/[^/]+$/

/** Finds a method by its name or an alias. Throws CommandError for an unknown one. */
export async function findFunctionFile(called: string): Promise<FunctionFile> {
  const named = (await functionPaths()).find((path) => basename(path) === called)
  if (named !== undefined) return functionFile(named, await loadSource(named))
  const files = await loadFunctionFiles()
  const found = files.find(({ method: { name, aliases = [] } }) => [name, ...aliases].includes(called))
  if (!found) throw new CommandError(`There is no method ${called}: ${suggestion(called, files)}`)
  return found
}

function suggestion(called: string, files: readonly FunctionFile[]): string {
  const names = files.flatMap(({ method: { name, aliases = [] } }) => [name, ...aliases])
  const nearest = nearestNames(called, names)
  if (nearest.length > 0) return `did you mean ${nearest.join(' or ')}?`
  return 'docs/api.md has all of them'
}

function functionFile(path: string, module: unknown): FunctionFile {
  const { method } = module as { readonly method?: Method }
  const expected = basename(path)
  if (method?.name !== expected) throw new Error(`${path}.ts does not export the method ${expected}`)
  return { area: basename(dirname(path)), path, method }
}
