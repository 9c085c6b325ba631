import { readdir } from 'node:fs/promises'
import { basename, dirname, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Method } from '#lib/api/method.ts'
import { Failure } from '#lib/local/failure.ts'
import { root } from '#lib/local/root.ts'

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
 * ingest/ consumes a queue or a bucket and is not a method.
 */
export async function loadFunctionFiles(): Promise<FunctionFile[]> {
  const names = await readdir(`${root}functions`, { recursive: true })
  const paths = names.map((name) => name.replaceAll(sep, '/'))
  const methods = paths.filter((name) => /^(?!ingest\/)[^/]+\/[^/]+(?<!\.test)\.ts$/.test(name)).sort()
  return Promise.all(methods.map(loadFunctionFile))
}

/** By its name or an alias, as a URL would find it. */
export async function findFunctionFile(called: string): Promise<FunctionFile> {
  const files = await loadFunctionFiles()
  const found = files.find(({ method: { name, aliases = [] } }) => [name, ...aliases].includes(called))
  if (!found) throw new Failure(`There is not a method ${called}. ${suggestion(called, files)}`)
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

async function loadFunctionFile(name: string): Promise<FunctionFile> {
  const module = (await import(pathToFileURL(`${root}functions/${name}`).href)) as { method?: Method }
  const expected = basename(name, '.ts')
  if (module.method?.name !== expected) {
    throw new Error(`functions/${name} does not export the method ${expected}`)
  }
  return { area: dirname(name), path: `functions/${name.slice(0, -'.ts'.length)}`, method: module.method }
}
