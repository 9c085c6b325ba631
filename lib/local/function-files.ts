import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Method } from '#lib/api/method.ts'

/** A method together with where its function is. */
export interface FunctionFile {
  /** The folder it is in: session, devices, ... */
  readonly area: string
  /** From the root, without the extension: functions/devices/devices_get */
  readonly path: string
  readonly method: Method
}

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Every method of the tree, by area, then by name. The tree is the list: nothing is registered anywhere. */
export async function loadFunctionFiles(): Promise<FunctionFile[]> {
  const names = await readdir(`${root}functions`, { recursive: true })
  const methods = names.filter((name) => /^[^/]+\/[^/]+(?<!\.test)\.ts$/.test(name)).sort()
  return Promise.all(methods.map(loadFunctionFile))
}

async function loadFunctionFile(name: string): Promise<FunctionFile> {
  const module = (await import(pathToFileURL(`${root}functions/${name}`).href)) as { method?: Method }
  const expected = basename(name, '.ts')
  if (module.method?.name !== expected) {
    throw new Error(`functions/${name} does not export the method ${expected}`)
  }
  return { area: dirname(name), path: `functions/${name.slice(0, -'.ts'.length)}`, method: module.method }
}
