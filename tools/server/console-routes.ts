import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { root } from '#tools/machine/location.ts'
import {
  CONSOLE_HEADERS,
  CONSOLE_ROUTES,
  consolePathOf,
  consoleType,
  describedAt,
  NO_CONSOLE_FILE,
} from '../../console/served/console-file.ts'
import type { Route } from './gateway.ts'

/**
 * The console's routes. Each load builds the page: the start does not wait, and edits take effect. `demoKey`
 * is the demo's secret key, which the page tells; it is missing for other data.
 */
export function consoleRoutes(demoKey?: string): Route[] {
  let files: Promise<ConsoleFiles> | undefined
  const filesFor = (path: string) => {
    if (path === '/' || !files) files = buildConsole(demoKey)
    return files
  }
  return CONSOLE_ROUTES.map((route) => ({
    path: route,
    verbs: ['GET', 'HEAD'],
    handler: async (event) => {
      const path = consolePathOf(event)
      const text = (await filesFor(path))[path]
      if (text === undefined) return NO_CONSOLE_FILE
      return {
        statusCode: 200,
        headers: { ...CONSOLE_HEADERS, 'Content-Type': consoleType(path) ?? '' },
        body: path === '/api/openapi.json' ? describedAt(text, event) : text,
      }
    },
  }))
}

/** The password of the demo's admin (data/demo/README.md), which the page tells like the key. */
const DEMO_PASSWORD = 'demo-admin'

export type ConsoleFiles = Readonly<Record<string, string>>

/** The page's scripts and style. What is imported on opening becomes a script of its own. */
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
    loader: { '.woff2': 'dataurl' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })

/** Builds the page, its scripts and its style, and adds the description of the API. Takes about 200 ms. */
export async function buildConsole(demoKey = ''): Promise<ConsoleFiles> {
  const built = await bundleConsole()
  const outputs = built.outputFiles.map(({ path, text }) => [`/console/${basename(path)}`, text] as const)
  return {
    '/': (await readText('console/index.html'))
      .replace(/(?<=demo-key" content=")/, demoKey)
      .replace(/(?<=demo-password" content=")/, demoKey && DEMO_PASSWORD),
    ...Object.fromEntries(outputs),
    '/api/openapi.json': await readText('docs/openapi.json'),
  }
}

const readText = (path: string): Promise<string> => readFile(root + path, 'utf8')
