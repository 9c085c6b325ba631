import { readFileSync, statSync } from 'node:fs'
import { root } from './program.ts'

/** The folder of the program that `npm start` has built from a checkout, two folders below the root. */
export const BUILT_FOLDER = '.data/built'

/** The page of a release, as `page` of a built program. */
export const RELEASE_PAGE = 'console/page.json'

/** Node's cache of compiled sources. A service may write only next to the data. */
export const COMPILED_FOLDER = `${root}.data/compiled`

/** A built program: its files, and the state of its inputs. */
export interface BuiltProgram {
  /** The stamp of each source, and of each folder whose files count. */
  readonly inputs: Readonly<Record<string, string>>
  /** The path of its first file from the root. */
  readonly program: string
  /** The path of the texts of the page's files by their paths, as JSON. */
  readonly page: string
  readonly files: readonly string[]
  /** The other commands run from the source. */
  readonly commands: readonly string[]
}

/** Changes with each edit. Blank for a file that is missing. */
export const inputStamp = (path: string): string => {
  const found = statSync(root + path, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : ''
}

/** The built program; `undefined` if one of its inputs has changed since, and if there is none. */
export function findBuilt(): BuiltProgram | undefined {
  try {
    const built = JSON.parse(readFileSync(`${root}${BUILT_FOLDER}/program.json`, 'utf8')) as BuiltProgram
    return Object.entries(built.inputs).every(([path, stamp]) => inputStamp(path) === stamp)
      ? built
      : undefined
  } catch {
    return undefined
  }
}

/** The file that runs a command; `undefined` if it runs from the source, also with TOLLGATE_STACK. */
export function builtProgramOf(command = ''): string | undefined {
  const built = process.env['TOLLGATE_STACK'] ? undefined : findBuilt()
  return built?.commands.includes(command) ? root + built.program : undefined
}
