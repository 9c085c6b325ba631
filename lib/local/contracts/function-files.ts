import { readdir } from 'node:fs/promises'
import { basename, dirname, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Method } from '#lib/api/method.ts'
import { root } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'

/** A method and the file of its function. */
export interface FunctionFile {
  /** The folder: session, devices, ... */
  readonly area: string
  /** The path from the root, without the extension: functions/devices/devices_get */
  readonly path: string
  readonly method: Method
}

/**
 * Loads every method, by area, then by name. The files in functions/ are the list: no method is registered elsewhere.
 * functions/ingest/ holds consumers, not methods. `load` returns the module at a path.
 */
export async function loadFunctionFiles(
  load: (path: string) => unknown = loadSource,
): Promise<FunctionFile[]> {
  const paths = await functionPaths()
  return Promise.all(paths.map(async (path) => functionFile(path, await load(path))))
}

const loadSource = (path: string): Promise<unknown> => import(pathToFileURL(`${root}${path}.ts`).href)

/** The paths of all methods, from the root and without the extension. */
export async function functionPaths(): Promise<string[]> {
  const names = await readdir(`${root}functions`, { recursive: true })
  const paths = names.map((name) => `functions/${name.replaceAll(sep, '/')}`)
  const methods = paths.filter((path) => METHOD_FILE.test(path)).sort()
  return methods.map((path) => path.slice(0, -'.ts'.length))
}

const METHOD_FILE = /^functions\/(?!ingest\/)[^/]+\/[^/]+(?<!\.test)\.ts$/

/** Finds a method by its name or an alias. Throws CommandError for an unknown one. */
export async function findFunctionFile(called: string): Promise<FunctionFile> {
  const files = await loadFunctionFiles()
  const found = files.find(({ method: { name, aliases = [] } }) => [name, ...aliases].includes(called))
  if (!found) throw new CommandError(`There is no method ${called}. ${suggestion(called, files)}`)
  return found
}

function suggestion(called: string, files: readonly FunctionFile[]): string {
  const words = called.split('_')
  const names = files.map(({ method: { name } }) => name)
  const similar = names.filter((name) =>
    words.some((word) => word.length > 3 && name.includes(word.slice(0, 4))),
  )
  return similar.length > 0 ? `Similar: ${similar.join(', ')}.` : `There are: ${names.join(', ')}.`
}

function functionFile(path: string, module: unknown): FunctionFile {
  const { method } = module as { readonly method?: Method }
  const expected = basename(path)
  if (method?.name !== expected) throw new Error(`${path}.ts does not export the method ${expected}`)
  return { area: basename(dirname(path)), path, method }
}
