import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { strToU8, type Zippable, zipSync } from 'fflate'
import pMap from 'p-map'
import { root } from '#tools/machine/location.ts'
import { bundlesOf } from './bundles.ts'

/** A function as serverless.yml declares it. */
interface PackagedFunction {
  readonly name: string
  /** Such as `functions/devices/devices_get.handler`. */
  readonly handler: string
  /** Folders of files beside the bundle, each as `<folder>/**`. */
  readonly patterns: readonly string[]
}

/** Writes the archives of functions for Lambda into the folder. The same sources make the same bytes. Returns their paths. */
export async function packFunctions(
  folder: string,
  functions: readonly PackagedFunction[],
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const bundles = await bundlesOf(functions)
  return pMap(functions, (packaged, index) => pack(folder, packaged, bundles[index]?.code ?? ''), {
    concurrency: ARCHIVES_AT_ONCE,
  })
}

const ARCHIVES_AT_ONCE = 4

async function pack(folder: string, packaged: PackagedFunction, code: string): Promise<string> {
  const path = join(folder, `${packaged.name}.zip`)
  const entries = Object.entries(await filesOf(packaged, code)).map(
    ([name, bytes]) => [name, [bytes, READABLE]] as const,
  )
  await writeFile(path, zipSync(Object.fromEntries(entries) as Zippable, { level: 9 }))
  return path
}

/** Of a file that everyone may read (0644), as Lambda requires, and with the earliest date of the format. */
const READABLE = { os: 3, attrs: 0o644 << 16, mtime: new Date(1980, 0, 1) } as const

/** Writes the files of a function into a folder of the checkout. Returns its path from the root. */
export async function unpackFunction(packaged: PackagedFunction): Promise<string> {
  const folder = `.build/local/${packaged.name}`
  const [bundle] = await bundlesOf([packaged])
  for (const [name, bytes] of Object.entries(await filesOf(packaged, bundle?.code ?? ''))) {
    const path = `${root}${folder}/${name}`
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  return folder
}

/** The bundle is CommonJS, and the package has "type": "module", so it ends with .cjs. */
async function filesOf(
  { handler, patterns }: PackagedFunction,
  code: string,
): Promise<Record<string, Uint8Array>> {
  const beside = await Promise.all(patterns.map((pattern) => filesUnder(pattern.replace(/\/\*\*$/, ''))))
  return Object.fromEntries([[handler.replace(/\.handler$/, '.cjs'), strToU8(code)], ...beside.flat()])
}

/** The folder is missing where its files were not built, as in tests of the template. */
async function filesUnder(folder: string): Promise<[path: string, bytes: Uint8Array][]> {
  if (!existsSync(root + folder)) return []
  const entries = await readdir(root + folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    files.sort().map(async (path) => [path.slice(root.length), await readFile(path)] as [string, Uint8Array]),
  )
}
