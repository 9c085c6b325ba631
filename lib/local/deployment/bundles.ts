import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { parse } from 'yaml'
import type { FunctionConfig, FunctionConfigs } from '#lib/local/contracts/functions-config.ts'
import { root } from '#lib/local/root.ts'

/** A cold start grows with the bundle. For that of a queue's consumer nobody waits. */
const MOST_BYTES = {
  method: 301_000,
  consumer: 600_000,
  'consumer of files': 700_000,
  'consumer of sheets': 1_300_000,
}

const readYaml = <T>(path: string): T => parse(readFileSync(root + path, 'utf8'), { merge: true }) as T

/** What is deployed of a function, and what leads from there back to its sources. */
interface Bundle {
  readonly name: string
  readonly bytes: number
  readonly mostBytes: number
  readonly sourceMap: string
  /** The files it is made of, from the root. */
  readonly sources: readonly string[]
  /** What esbuild knows of them, those included that nothing is left of. */
  readonly metafile: Metafile
}

/** Every function once more, with the source map that stays out of its package; answers them. */
export async function writeSourceMaps(folder: string): Promise<Bundle[]> {
  const bundles = await buildBundles()
  await mkdir(folder, { recursive: true })
  await Promise.all(bundles.map(({ name, sourceMap }) => writeFile(`${folder}/${name}.cjs.map`, sourceMap)))
  return bundles
}

/** Every function's bundle, built as serverless-esbuild does. */
export function buildBundles(): Promise<Bundle[]> {
  const functions = ['infra/functions.yml', 'infra/ingest-functions.yml'].flatMap((path) =>
    Object.entries(readYaml<FunctionConfigs>(path)),
  )
  const options = esbuildOptions()
  return Promise.all(functions.map(([name, config]) => buildBundle(name, config, options)))
}

/** As serverless-esbuild reads them, without what is meant for itself. */
export function esbuildOptions(): BuildOptions {
  const options = readYaml<Record<string, unknown>>('infra/esbuild.yml')
  for (const own of ['outputFileExtension', 'exclude', 'concurrency', 'zipConcurrency']) delete options[own]
  return { ...options, plugins: createRequire(import.meta.url)(root + options['plugins']) }
}

async function buildBundle(
  name: string,
  { handler }: FunctionConfig,
  options: BuildOptions,
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...options,
    sourcemap: 'external',
    metafile: true,
    absWorkingDir: root,
    entryPoints: [handler.replace(/\.handler$/, '.ts')],
    outdir: '.build',
    write: false,
    logLevel: 'silent',
  })
  const [map, code] = ['.map', '.js'].map((end) => outputFiles.find(({ path }) => path.endsWith(end)))
  return {
    name,
    bytes: code?.contents.length ?? 0,
    mostBytes: MOST_BYTES[kindOf(handler)],
    sourceMap: map?.text ?? '',
    sources: sourcesIn(metafile),
    metafile,
  }
}

/** Who reads files brings S3's client, and for carriers' sheets encodings and spreadsheets; nobody waits for it. */
function kindOf(handler: string): keyof typeof MOST_BYTES {
  if (handler.startsWith('functions/ingest/ingest_files.')) return 'consumer of sheets'
  if (handler.startsWith('functions/ingest/ingest_record_files.')) return 'consumer of files'
  return handler.startsWith('functions/ingest/') ? 'consumer' : 'method'
}

/** What is looked at and then left out, as unused, is not part of the bundle. */
const sourcesIn = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  )
