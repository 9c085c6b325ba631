import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { type BuildOptions, build } from 'esbuild'
import { parse } from 'yaml'
import { root } from './function-files.ts'
import type { FunctionConfig, FunctionConfigs } from './functions-config.ts'

/** A cold start grows with the bundle. */
export const MOST_BUNDLE_BYTES = 300_000

const readYaml = <T>(path: string): T => parse(readFileSync(root + path, 'utf8'), { merge: true }) as T

/** What is deployed of a function, and what leads from there back to its sources. */
interface Bundle {
  readonly name: string
  readonly bytes: number
  readonly sourceMap: string
}

/** The bytes of every function's bundle, built as serverless-esbuild does. */
export async function bundleSizes(): Promise<Record<string, number>> {
  const bundles = await buildBundles()
  return Object.fromEntries(bundles.map(({ name, bytes }) => [name, bytes]))
}

/** Every function once more, with the source map that stays out of its package; answers the sizes. */
export async function writeSourceMaps(folder: string): Promise<Record<string, number>> {
  const bundles = await buildBundles()
  await mkdir(folder, { recursive: true })
  await Promise.all(bundles.map(({ name, sourceMap }) => writeFile(`${folder}/${name}.cjs.map`, sourceMap)))
  return Object.fromEntries(bundles.map(({ name, bytes }) => [name, bytes]))
}

function buildBundles(): Promise<Bundle[]> {
  const functions = ['infra/functions.yml', 'infra/ingest-functions.yml'].flatMap((path) =>
    Object.entries(readYaml<FunctionConfigs>(path)),
  )
  const options = esbuildOptions()
  return Promise.all(functions.map(([name, config]) => buildBundle(name, config, options)))
}

/** Without what is meant for the plugin itself. */
export function esbuildOptions(): BuildOptions {
  const options = readYaml<Record<string, unknown>>('infra/esbuild.yml')
  for (const own of ['outputFileExtension', 'exclude', 'concurrency', 'zipConcurrency']) delete options[own]
  return options
}

async function buildBundle(
  name: string,
  { handler }: FunctionConfig,
  options: BuildOptions,
): Promise<Bundle> {
  const { outputFiles } = await build({
    ...options,
    sourcemap: 'external',
    absWorkingDir: root,
    entryPoints: [handler.replace(/\.handler$/, '.ts')],
    outdir: '.build',
    write: false,
    logLevel: 'silent',
  })
  const [map, code] = ['.map', '.js'].map((end) => outputFiles.find(({ path }) => path.endsWith(end)))
  return { name, bytes: code?.contents.length ?? 0, sourceMap: map?.text ?? '' }
}
