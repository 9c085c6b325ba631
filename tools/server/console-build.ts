import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { root } from '#tools/machine/program.ts'

/** The texts of the page's files by their paths. */
export type ConsoleFiles = Readonly<Record<string, string>>

/** The page's scripts and style. A module that is imported on opening becomes a script of its own. */
export const bundleConsole = () =>
  build({
    absWorkingDir: root,
    entryPoints: { console: 'console/main.tsx' },
    outdir: 'console',
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { 'node:crypto': './console/bundle/node-crypto.ts' },
    inject: ['console/bundle/buffer.ts'],
    loader: { '.woff2': 'dataurl', '.cfg': 'text', '.conf': 'text', '.xml': 'text' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })

/** Builds the page, its scripts and its style, and adds the description of the API. Takes about 200 ms. */
export const buildConsole = async (): Promise<ConsoleFiles> => filesOfConsole(await bundleConsole())

export async function filesOfConsole({
  outputFiles,
}: Awaited<ReturnType<typeof bundleConsole>>): Promise<ConsoleFiles> {
  const outputs = outputFiles.map(({ path, text }) => [`/console/${basename(path)}`, text] as const)
  return {
    '/': await readText('console/index.html'),
    ...Object.fromEntries(outputs),
    '/api/openapi.json': await readText('docs/openapi.json'),
  }
}

const readText = (path: string): Promise<string> => readFile(root + path, 'utf8')
