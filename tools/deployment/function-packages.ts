import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { strToU8, type Zippable, zipSync } from 'fflate'
import pMap from 'p-map'
import { root } from '#tools/machine/program.ts'
import { type BundledFunction, bundlesOf } from './bundles.ts'

/**
 * Writes the functions' Lambda archives into the folder, reproducibly. Returns their paths. Archives that
 * another stage of the same checkout has in `packed` are copied.
 */
export async function packFunctions(
  folder: string,
  functions: readonly BundledFunction[],
  packed?: string,
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const isPacked = ({ name }: BundledFunction) => packed !== undefined && existsSync(archiveIn(packed, name))
  const [copied, built] = [functions.filter(isPacked), functions.filter((one) => !isPacked(one))]
  for (const { name } of copied) await copyFile(archiveIn(packed ?? '', name), archiveIn(folder, name))
  const bundles = built.length === 0 ? [] : await bundlesOf(built)
  await pMap(built, (packaged, index) => pack(folder, packaged, bundles[index]?.code ?? ''), {
    concurrency: ARCHIVES_AT_ONCE,
  })
  return functions.map(({ name }) => archiveIn(folder, name))
}

const archiveIn = (folder: string, name: string): string => join(folder, `${name}.zip`)

const ARCHIVES_AT_ONCE = 4

async function pack(folder: string, packaged: BundledFunction, code: string): Promise<void> {
  const files: Zippable = { [fileNameOf(packaged)]: [strToU8(code), READABLE] }
  await writeFile(archiveIn(folder, packaged.name), zipSync(files, { level: 9 }))
}

/** A mode that everyone may read (0644), as Lambda requires, and the format's earliest date. */
const READABLE = { os: 3, attrs: 0o644 << 16, mtime: new Date(1980, 0, 1) } as const

/** Writes the bundle of a function into a folder of the checkout. Returns its path from the root. */
export async function unpackFunction(packaged: BundledFunction): Promise<string> {
  const folder = `.build/local/${packaged.name}`
  const [bundle] = await bundlesOf([packaged])
  const path = `${root}${folder}/${fileNameOf(packaged)}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bundle?.code ?? '')
  return folder
}

/** The bundle is CommonJS, and the package has "type": "module", so it ends with .cjs. */
const fileNameOf = ({ handler }: BundledFunction): string => handler.replace(/\.handler$/, '.cjs')
