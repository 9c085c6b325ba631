import { readdir } from 'node:fs/promises'
import { extname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { builtFiles } from './built-files.ts'

/** The folder of this repository, or of the release, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The file that Node runs for `npx tollgate`. */
export const program = `${root}tools/bin/tollgate.js`

/** `.ts` as source, `.js` in a release, `.mjs` in a checkout that runs what `npm start` has built. */
const form = extname(fileURLToPath(import.meta.url))

export const isRelease = form === '.js'

/** The words that start an installation. A release has no npm. */
export const START_COMMAND = isRelease ? './tollgate start' : 'npm start --'

export const isSource = form === '.ts'

/** The extension of the program's files below the root. */
export const extension = isRelease ? '.js' : '.ts'

/** Loads a file of the program by its path from the root, without the extension. */
export const loadFile = (path: string): Promise<unknown> =>
  builtFiles[path]?.() ?? import(pathToFileURL(`${root}${path}${extension}`).href)

/** The paths of the program's files below a folder, in order, from the root and without the extension. */
export async function filesBelow(folder: string): Promise<string[]> {
  const names = isSource ? await readdir(root + folder, { recursive: true }) : []
  const sources = names.map((name) => `${folder}/${name.replaceAll(sep, '/')}`)
  const files = sources.flatMap((path) => /^(.*)(?<!\.test)\.ts$/.exec(path)?.[1] ?? [])
  return [...files, ...Object.keys(builtFiles).filter((path) => path.startsWith(`${folder}/`))].sort()
}
