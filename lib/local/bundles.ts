import { readFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { parse } from 'yaml'
import { root } from './function-files.ts'
import type { FunctionConfig, FunctionConfigs } from './functions-config.ts'

/** A cold start grows with the bundle. */
export const MOST_BUNDLE_BYTES = 300_000

const readYaml = <T>(path: string): T => parse(readFileSync(root + path, 'utf8'), { merge: true }) as T

/** The bytes of every function's bundle, built as serverless-esbuild does. */
export async function bundleSizes(): Promise<Record<string, number>> {
  const functions = Object.entries(readYaml<FunctionConfigs>('infra/functions.yml'))
  const options = esbuildOptions()
  const sizes = functions.map(async ([name, config]) => [name, await bundleSize(config, options)] as const)
  return Object.fromEntries(await Promise.all(sizes))
}

/** Without what is meant for the plugin itself. */
export function esbuildOptions(): BuildOptions {
  const options = readYaml<Record<string, unknown>>('infra/esbuild.yml')
  for (const own of ['outputFileExtension', 'exclude', 'concurrency', 'zipConcurrency']) delete options[own]
  return options
}

async function bundleSize({ handler }: FunctionConfig, options: BuildOptions): Promise<number> {
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [handler.replace(/\.handler$/, '.ts')],
    outdir: '.build',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
}
