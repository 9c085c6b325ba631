import { basename, dirname, extname } from 'node:path'
import { fileRefused } from '#lib/base/row-refused.ts'
import { type FileName, isFileName } from '#lib/dataset/import/files.ts'

/** A dataset of sent files. The prefix keeps its relative dates apart from operators' files. */
export const recordDataset = (name: string): string => `records/${name}`

export interface BucketPrefix {
  /** Keys of the files begin with it. It ends with a slash. */
  readonly path: string
  /** The reason why a file of this name is refused; `undefined` for an accepted one. */
  readonly obstacle: (name: FileName) => string | undefined
  /** The name of a folder's dataset: the table keeps its first import, which relative dates count from. */
  readonly dataset: (folder: string) => string
  /** Set if CDR documents under `switches/` are mediated. */
  readonly acceptsSwitchFiles?: true
  /** Its imports have entries in the audit log, which only a function may write that may change settings. */
  readonly keepsLog?: boolean
}

/** The files that switches send. All other files use the operators' prefix. */
const RECORD_FILES: ReadonlySet<FileName> = new Set(['calls', 'active_calls', 'local_calls', 'queue_log'])

/** Files that grant access. */
const ACCESS_FILES: ReadonlySet<string> = new Set<FileName>(['settings', 'users'])

/** For the credentials of switches. */
export const recordsPrefix: BucketPrefix = {
  path: 'records/',
  obstacle: (name) =>
    RECORD_FILES.has(name) ? undefined : `${name} is not a file of records: put it under operator/`,
  dataset: recordDataset,
  acceptsSwitchFiles: true,
}

/** For the credentials of operators. `importsAccess` also accepts settings and users (infra/stages.yml). */
export const operatorPrefix = (importsAccess: boolean): BucketPrefix => ({
  path: 'operator/',
  keepsLog: importsAccess,
  obstacle: (name) => {
    if (RECORD_FILES.has(name)) return `${name} is a file of records: put it under records/`
    if (importsAccess || !ACCESS_FILES.has(name)) return undefined
    return `${name} is imported from the bucket only if importsAccess is yes (infra/stages.yml)`
  },
  dataset: (folder) => folder,
})

/** The parts of a key after the path of its prefix: `<folder>/<file>`, or `<file>` alone. */
export interface NamedFile {
  /** `undefined` for a file without a folder. */
  readonly folder: string | undefined
  readonly file: string
  readonly extension: string
  readonly name: string
  /** True for a file such as `rates.merge.csv`, whose rows are added to the stored ones. */
  readonly merge: boolean
}

const MERGE_SUFFIX = '.merge'

/** Files that replace all stored rows unless they are merged. */
const MERGEABLE_FILES: ReadonlySet<string> = new Set<FileName>(['rates', 'destinations'])

/** The dataset file of a key, whether or not its prefix accepts it; `undefined` for any other file. */
export function datasetFileOf(key: string): FileName | undefined {
  const { name } = nameFile(key)
  return isFileName(name) ? name : undefined
}

function nameFile(key: string): Omit<NamedFile, 'folder'> {
  const extension = extname(key)
  const stem = basename(key, extension)
  const merge = stem.endsWith(MERGE_SUFFIX)
  const name = merge ? stem.slice(0, -MERGE_SUFFIX.length) : stem
  return { file: name + extension, extension, name, merge }
}

/** Names a key's file. Throws refused_file if its prefix does not take it. Other names are the importer's. */
export function admit({ path, obstacle }: BucketPrefix, key: string): NamedFile {
  if (!key.startsWith(path)) throw fileRefused(`${key} is not under ${path}`)
  const named = nameFile(key)
  const { name, merge } = named
  const problem = isFileName(name) ? obstacle(name) : undefined
  if (problem !== undefined) throw fileRefused(problem)
  if (merge && !MERGEABLE_FILES.has(name))
    throw fileRefused(`${basename(key)}: only rates and destinations can be merged`)
  const folder = basename(dirname(key.slice(path.length)))
  return { ...named, folder: folder === '.' ? undefined : folder }
}
