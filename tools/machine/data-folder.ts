import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isRelease, root } from './program.ts'

/** The folder that holds all local data; not under version control. */
export const dataFolder = `${root}.data`

export const demoDataset = `${root}data/demo`

/** The demo as a finished database, in a release. */
export const DEMO_DATABASE = 'data/demo.db'

/** The files of one dataset: another dataset never mixes with the demo. */
export interface DataFiles {
  readonly database: string
  /** Exists while the dataset is loaded. A start that finds it loads again: loaded rows stay. */
  readonly loading: string
  /** Locked while its engine runs: two engines on one database would lose each other's writes. */
  readonly lock: string
  readonly functions: string
  /** The folder of archived calls, in place of a bucket. */
  readonly archive: string
  /** Written after each backup: its age is that of the last one. Missing before the first. */
  readonly lastBackup: string
}

export function dataFilesOf(dataset: string): DataFiles {
  const name = dataset === demoDataset ? 'tollgate' : fileNameOf(dataset)
  const path = `${dataFolder}/${name}`
  return {
    database: `${path}.db`,
    loading: `${path}.loading`,
    lock: `${path}.lock`,
    functions: `${path}.functions`,
    archive: `${path}.archive`,
    lastBackup: `${path}.last-backup`,
  }
}

const fileNameOf = (dataset: string): string =>
  `${basename(dataset)}-${createHash('sha1').update(resolve(dataset)).digest('hex').slice(0, 6)}`

/**
 * Creates the folder and closes it to other users: the database holds the secret of every device. `fresh`
 * removes a stored database and its archive.
 */
export async function prepareDataFolder(
  { database, loading, archive }: Pick<DataFiles, 'database' | 'loading' | 'archive'>,
  fresh: boolean,
): Promise<void> {
  await mkdir(dirname(database), { recursive: true })
  await chmod(dirname(database), 0o700)
  const files = [database, `${database}-wal`, `${database}-shm`]
  if (fresh)
    await Promise.all([...files, loading, archive].map((path) => rm(path, { recursive: true, force: true })))
  await Promise.all(files.filter((file) => existsSync(file)).map((file) => chmod(file, 0o600)))
}

/** Gives the demo of a release the finished database, unless it has one. */
export async function copyDemo({ database }: Pick<DataFiles, 'database'>): Promise<void> {
  if (!isRelease || existsSync(database)) return
  await copyFile(`${root}${DEMO_DATABASE}`, `${database}.copy`)
  await chmod(`${database}.copy`, 0o600)
  await rename(`${database}.copy`, database)
}

/** Keeps a new folder with secrets out of version control, as if it were not there. */
export const hideFromGit = (folder: string): Promise<void> =>
  writeFile(join(folder, '.gitignore'), '# These files hold secrets.\n*\n', { mode: 0o600, flag: 'wx' })
