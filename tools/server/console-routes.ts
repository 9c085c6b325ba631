import { readFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { root } from '#tools/machine/location.ts'
import {
  CONSOLE_HEADERS,
  CONSOLE_PATHS,
  CONSOLE_TYPES,
  type ConsolePath,
  describedAt,
} from '../../console/served/console-file.ts'
import type { Route } from './gateway.ts'

/**
 * The routes of the console. Each load of the page builds it: the start does not wait for it, and edits take effect.
 * `demoKey` is the secret key of the demo, which the page tells; it is missing where other data is served.
 */
export function consoleRoutes(demoKey?: string): Route[] {
  let files: Promise<ConsoleFiles> | undefined
  return CONSOLE_PATHS.map((path) => ({
    path,
    verbs: ['GET', 'HEAD'],
    handler: async (event) => {
      if (path === '/' || !files) files = buildConsole(demoKey)
      const headers = { ...CONSOLE_HEADERS, 'Content-Type': CONSOLE_TYPES[path] }
      const text = (await files)[path]
      return {
        statusCode: 200,
        headers,
        body: path === '/api/openapi.json' ? describedAt(text, event) : text,
      }
    },
  }))
}

/** The password of the demo's admin (data/demo/README.md), which the page tells like the key. */
const DEMO_PASSWORD = 'demo-admin'

/** The files of the console by path. */
export type ConsoleFiles = Readonly<Record<ConsolePath, string>>

/** The bundle of the page's scripts and style. */
export const bundleConsole = () =>
  build({
    absWorkingDir: root,
    entryPoints: { console: 'console/main.tsx' },
    outdir: 'console',
    bundle: true,
    minify: true,
    format: 'esm',
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
  const builtText = (name: string) => built.outputFiles.find(({ path }) => path.endsWith(name))?.text ?? ''
  return {
    '/': (await readText('console/index.html'))
      .replace(/(?<=demo-key" content=")/, demoKey)
      .replace(/(?<=demo-password" content=")/, demoKey && DEMO_PASSWORD),
    '/console/console.js': builtText('console.js'),
    '/console/console.css': builtText('console.css'),
    '/api/openapi.json': await readText('docs/openapi.json'),
  }
}

const readText = (path: string): Promise<string> => readFile(root + path, 'utf8')
