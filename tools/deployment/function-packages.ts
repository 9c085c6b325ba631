import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { strToU8, type Zippable, zipSync } from 'fflate'
import pMap from 'p-map'
import { root } from '#tools/machine/program.ts'
import { bundlesOf } from './bundles.ts'

/** A function as serverless.yml declares it. */
interface PackagedFunction {
  readonly name: string
  /** Such as `functions/devices/devices_get.handler`. */
  readonly handler: string
}

/** Writes the functions' Lambda archives into the folder, reproducibly. Returns their paths. */
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
  const files: Zippable = { [fileNameOf(packaged)]: [strToU8(code), READABLE] }
  await writeFile(path, zipSync(files, { level: 9 }))
  return path
}

/** A mode that everyone may read (0644), as Lambda requires, and the format's earliest date. */
const READABLE = { os: 3, attrs: 0o644 << 16, mtime: new Date(1980, 0, 1) } as const

/** Writes the bundle of a function into a folder of the checkout. Returns its path from the root. */
export async function unpackFunction(packaged: PackagedFunction): Promise<string> {
  const folder = `.build/local/${packaged.name}`
  const [bundle] = await bundlesOf([packaged])
  const path = `${root}${folder}/${fileNameOf(packaged)}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bundle?.code ?? '')
  return folder
}

/** The bundle is CommonJS, and the package has "type": "module", so it ends with .cjs. */
const fileNameOf = ({ handler }: PackagedFunction): string => handler.replace(/\.handler$/, '.cjs')
