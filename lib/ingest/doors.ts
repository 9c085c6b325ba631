import { basename, dirname, extname } from 'node:path'
import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import { type FileName, isFileName } from '#lib/dataset/import/files.ts'
import { recordDataset } from '#lib/store/partitions.ts'

/** A way for files into the table: where they lie in the bucket, and which of them may come in. */
export interface Door {
  /** The keys of its files begin with it; a slash is its end. */
  readonly prefix: string
  /** Why a file of this name is refused; `undefined` when it may come in. */
  readonly obstacle: (name: FileName) => string | undefined
  /** By this name the table remembers what the relative dates in files of a folder are counted from. */
  readonly dataset: (folder: string) => string
  /** Whether what switches wrote comes in as well, under `switches/`. */
  readonly takesSwitchFiles?: true
}

/** What switches send; anything else comes through the operators' door. */
const RECORDS: ReadonlySet<FileName> = new Set(['calls', 'active_calls', 'local_calls', 'queue_log'])

/** Files that say who may do what. */
const ACCESS: ReadonlySet<string> = new Set<FileName>(['settings', 'users'])

export const changesAccess = (name: string): boolean => ACCESS.has(name)

/** For the credentials of switches. */
export const sendersDoor: Door = {
  prefix: 'records/',
  obstacle: (name) =>
    RECORDS.has(name) ? undefined : `${name} is not a file of records: it comes in under operator/`,
  dataset: recordDataset,
  takesSwitchFiles: true,
}

/** `importsAccess`: settings and users may come in, too (infra/stages.yml). */
export const operatorsDoor = (importsAccess: boolean): Door => ({
  prefix: 'operator/',
  obstacle: (name) => {
    if (RECORDS.has(name)) return `${name} is a file of records: it comes in under records/`
    if (importsAccess || !ACCESS.has(name)) return undefined
    return `${name} comes in by file only where importsAccess is yes (infra/stages.yml)`
  },
  dataset: (folder) => folder,
})

/** What an object is, by its key behind the door's prefix: `<folder>/<file>`, or `<file>` alone. */
export interface NamedFile {
  /** `undefined` for a file that lies in no folder. */
  readonly folder: string | undefined
  readonly file: string
  readonly extension: string
  readonly name: string
  /** Whether its rows are added to what is there: `rates.merge.csv`. */
  readonly merge: boolean
}

const MERGED = '.merge'

/** Files that replace what is there as a whole unless they are merged into it. */
const MERGEABLE: ReadonlySet<string> = new Set<FileName>(['rates', 'destinations'])

/** Throws DatasetError for what may not come in through this door. What is not a dataset file is left to the importer. */
export function admit({ prefix, obstacle }: Door, key: string): NamedFile {
  if (!key.startsWith(prefix)) throw new DatasetError(`${key} does not lie under ${prefix}`)
  const extension = extname(key)
  const stem = basename(key, extension)
  const merge = stem.endsWith(MERGED)
  const name = merge ? stem.slice(0, -MERGED.length) : stem
  const problem = isFileName(name) ? obstacle(name) : undefined
  if (problem !== undefined) throw new DatasetError(problem)
  if (merge && !MERGEABLE.has(name))
    throw new DatasetError(`${basename(key)}: only rates and destinations are merged`)
  const folder = basename(dirname(key.slice(prefix.length)))
  return { folder: folder === '.' ? undefined : folder, file: name + extension, extension, name, merge }
}
