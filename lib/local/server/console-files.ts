import { readFile } from 'node:fs/promises'
import { build } from 'esbuild'
import type { ConsolePath } from '#lib/console/headers.ts'
import { root } from '#lib/local/location.ts'

/** The files of the console by their path from the page. */
export type ConsoleFiles = Readonly<Record<ConsolePath, string>>

/** The page, its scripts and its style, and the description of the API that it reads. Takes some 200 ms. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const built = await build({
    absWorkingDir: root,
    entryPoints: { console: 'console/main.tsx', worker: 'console/dashboard/worker.ts' },
    outdir: 'console',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { 'node:crypto': './console/bundle/node-crypto.ts' },
    inject: ['console/bundle/buffer.ts'],
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  })
  const textOf = (name: string) => built.outputFiles.find(({ path }) => path.endsWith(name))?.text ?? ''
  return {
    '/': await readText('console/index.html'),
    '/console/console.js': textOf('console.js'),
    '/console/worker.js': textOf('worker.js'),
    '/console/console.css': textOf('console.css'),
    '/api/openapi.json': await readText('docs/openapi.json'),
  }
}

const readText = (path: string): Promise<string> => readFile(root + path, 'utf8')
