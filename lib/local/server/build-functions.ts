import { rm } from 'node:fs/promises'
import { build, stop } from 'esbuild'
import type { FunctionConfig } from '#lib/local/contracts/functions-config.ts'
import { root } from '#lib/local/root.ts'

/**
 * The handlers as JavaScript, which is all that serverless-offline loads reliably, with what they have in common in
 * shared files: one process then holds one copy of it. Dependencies stay outside. Throws esbuild's BuildFailure.
 */
export async function buildFunctions(
  functions: Readonly<Record<string, Pick<FunctionConfig, 'handler'>>>,
  folder: string,
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: Object.values(functions).map(({ handler }) => `${handler.replace(/\.handler$/, '')}.ts`),
    outbase: '.',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'silent',
  })
  await stop()
}
