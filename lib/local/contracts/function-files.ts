import { readdir } from 'node:fs/promises'
import { basename, dirname, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Method } from '#lib/api/method.ts'
import { root } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'

/** A method together with where its function is. */
export interface FunctionFile {
  /** The folder it is in: session, devices, ... */
  readonly area: string
  /** From the root, without the extension: functions/devices/devices_get */
  readonly path: string
  readonly method: Method
}

/**
 * Every method of the tree, by area, then by name. The tree is the list: nothing is registered anywhere. What is in
 * ingest/ consumes a queue or a bucket and is not a method. `load` returns the module at a path.
 */
export async function loadFunctionFiles(
  load: (path: string) => unknown = loadSource,
): Promise<FunctionFile[]> {
  const paths = await functionPaths()
  return Promise.all(paths.map(async (path) => functionFile(path, await load(path))))
}

const loadSource = (path: string): Promise<unknown> => import(pathToFileURL(`${root}${path}.ts`).href)

/** Where the methods of the tree are, from the root and without the extension. */
export async function functionPaths(): Promise<string[]> {
  const names = await readdir(`${root}functions`, { recursive: true })
  const paths = names.map((name) => `functions/${name.replaceAll(sep, '/')}`)
  const methods = paths.filter((path) => METHOD_FILE.test(path)).sort()
  return methods.map((path) => path.slice(0, -'.ts'.length))
}

const METHOD_FILE = /^functions\/(?!ingest\/)[^/]+\/[^/]+(?<!\.test)\.ts$/

/** By its name or an alias, as a URL would find it. */
export async function findFunctionFile(called: string): Promise<FunctionFile> {
  const files = await loadFunctionFiles()
  const found = files.find(({ method: { name, aliases = [] } }) => [name, ...aliases].includes(called))
  if (!found) throw new CommandError(`There is not a method ${called}. ${suggestion(called, files)}`)
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
