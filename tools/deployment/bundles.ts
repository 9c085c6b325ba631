import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build, type Metafile, type OutputFile } from 'esbuild'
import { parse } from 'yaml'
import type { FunctionConfigs } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/program.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { esbuildOptions } from '#tools/server/program-build.ts'

/** The limits of a bundle. A cold start grows with the bundle; no caller waits for a consumer. */
const MAX_BYTES = {
  // The largest, payment_create, books a payment in the shards of the table.
  method: 346_400,
  // They read archived calls: Parquet, and the client of S3.
  consumer: 700_000,
  'consumer of files': 860_000,
  'consumer of sheets': 1_478_000,
  // A function that writes PDFs has two fonts in it.
  'writer of documents': 2_100_000,
  // It also reads and writes archived calls.
  archive: 2_197_000,
}

const readYaml = <T>(path: string): T => parse(readFileSync(root + path, 'utf8'), { merge: true }) as T

/** The code that is deployed for a function, its source map and its sources. */
interface Bundle {
  readonly name: string
  readonly bytes: number
  readonly maxBytes: number
  readonly code: string
  readonly sourceMap: string
  /** Paths from the root of the files that contribute code. */
  readonly sources: readonly string[]
  /** Also names files without any code in the bundle. */
  readonly metafile: Metafile
}

/** The source maps of the functions, which are not uploaded. */
const SOURCE_MAPS = '.build/source-maps'

/**
 * Builds every function for its size and its source map, and prints the sizes. Throws CommandError if a
 * bundle exceeds its limit.
 */
export async function checkBundles(): Promise<void> {
  const bundles = await buildBundles()
  await mkdir(root + SOURCE_MAPS, { recursive: true })
  for (const { name, bytes, sourceMap } of bundles) {
    await writeFile(`${root}${SOURCE_MAPS}/${name}.cjs.map`, sourceMap)
    printLine(`${kilobytes(bytes).padStart(6)} KB  ${name}`)
  }
  printLine(`Source maps: ${SOURCE_MAPS}`)
  const tooLarge = bundles.filter(({ bytes, maxBytes }) => bytes > maxBytes)
  if (tooLarge.length === 0) return
  const sizes = tooLarge.map(
    ({ name, bytes, maxBytes }) => `${name} has ${kilobytes(bytes)} KB, at most ${kilobytes(maxBytes)}`,
  )
  throw new CommandError(`Bundles are too large: ${sizes.join('; ')}`)
}

const kilobytes = (bytes: number): string => String(Math.round(bytes / 1000))

/** The bundles of all methods and consumers, or of the named ones. */
export const buildBundles = (names?: readonly string[]): Promise<Bundle[]> =>
  bundlesOf(
    functionsIn('infra/functions.yml', 'infra/ingest-functions.yml').filter(
      ({ name }) => names?.includes(name) ?? true,
    ),
  )

/** The bundles of the console, its page and its own API. */
export const buildConsoleBundles = (): Promise<Bundle[]> => bundlesOf(functionsIn('infra/console-on.yml'))

const functionsIn = (...paths: readonly string[]): BundledFunction[] =>
  paths.flatMap((path) =>
    Object.entries(readYaml<FunctionConfigs>(path)).map(([name, { handler }]) => ({ name, handler })),
  )

/** `handler` is that of serverless.yml, such as `functions/console.handler`. */
export interface BundledFunction {
  readonly name: string
  readonly handler: string
}

/**
 * Builds functions as they are deployed, in this order. One build reads each source once for all of them; the
 * code of each is the same as from a build of its own.
 */
export async function bundlesOf(functions: readonly BundledFunction[]): Promise<Bundle[]> {
  const built = await build({
    ...esbuildOptions(),
    sourcemap: 'external',
    metafile: true,
    absWorkingDir: root,
    entryPoints: functions.map(({ name, handler }) => ({ in: sourceOf(handler), out: name })),
    outdir: '.build',
    write: false,
    logLevel: 'silent',
  })
  const files = new Map(built.outputFiles.map((file) => [basename(file.path), file]))
  return functions.map((one) => bundleOf(one, files, metafileOf(one, built.metafile)))
}

const sourceOf = (handler: string): string => handler.replace(/\.handler$/, '.ts')

function bundleOf(
  { name, handler }: BundledFunction,
  files: ReadonlyMap<string, OutputFile>,
  metafile: Metafile,
): Bundle {
  const code = files.get(`${name}.js`)
  return {
    name,
    bytes: code?.contents.length ?? 0,
    maxBytes: MAX_BYTES[bundleKind(handler)],
    code: code?.text ?? '',
    sourceMap: files.get(`${name}.js.map`)?.text ?? '',
    sources: sourcesIn(metafile),
    metafile,
  }
}

/** The part of a build that is about one function: its output, and the files that its imports lead to. */
function metafileOf({ name, handler }: BundledFunction, { inputs, outputs }: Metafile): Metafile {
  const reached = new Set([sourceOf(handler)])
  for (const path of reached) for (const one of inputs[path]?.imports ?? []) reached.add(one.path)
  return {
    inputs: Object.fromEntries(Object.entries(inputs).filter(([path]) => reached.has(path))),
    outputs: Object.fromEntries(Object.entries(outputs).filter(([path]) => basename(path) === `${name}.js`)),
  }
}

/** File consumers include S3's client; that of rate sheets also encodings and spreadsheets. */
function bundleKind(handler: string): keyof typeof MAX_BYTES {
  if (handler.startsWith('functions/ingest/ingest_files.')) return 'consumer of sheets'
  if (handler.startsWith('functions/console/money/document-files.')) return 'writer of documents'
  if (handler.startsWith('functions/ingest/archive_calls.')) return 'archive'
  if (handler.startsWith('functions/ingest/ingest_record_files.')) return 'consumer of files'
  return handler.startsWith('functions/ingest/') ? 'consumer' : 'method'
}

/** The files that contribute code. */
export const sourcesIn = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  )
