import { extname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of this repository, or of the release, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The file that Node runs for `npx tollgate`. */
export const program = `${root}tools/bin/tollgate.js`

/** The extension of the program's files: `.ts` in a checkout, `.js` in a release, which is built. */
export const extension = extname(fileURLToPath(import.meta.url))

export const isRelease = extension === '.js'

/** Loads a file of the program by its path from the root, without the extension. */
export const loadFile = (path: string): Promise<unknown> =>
  import(pathToFileURL(`${root}${path}${extension}`).href)
