import { existsSync, statSync } from 'node:fs'
import { cp, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Command } from '@commander-js/extra-typings'
import { countArgument, pathArgument } from '../../command-line/arguments.ts'
import { type DataFiles, dataFilesOf, demoDataset } from '../../machine/data-folder.ts'
import { shortPath } from '../../machine/location.ts'
import { root, START_COMMAND } from '../../machine/program.ts'
import { listRunning } from '../../machine/running.ts'
import { CommandError, printLine, usageError } from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It copies the database of an npm start, running or not, as it is at one moment: traffic is not interrupted. Archived calls are copied \
into a folder beside it. The copy holds every secret of the installation. npx tollgate restore brings it back. AWS keeps backups of its own \
(docs/deployment.md).',
    )
    .argument(
      '<path>',
      'the file to write, or an existing folder, in which the file is named by dataset and time',
      pathArgument,
    )
    .option(
      '--data <FOLDER>',
      'the dataset of the installation (default: the one that was started first, otherwise the demo)',
      pathArgument,
    )
    .option(
      '--keep <NUMBER>',
      'in a folder: the number of newest backups of this dataset that stay; older ones are removed',
      countArgument,
    )
    .action(async (path, { data, keep }) => {
      const lines = await backUp(databaseToBackUp(data), { path, keep, now: new Date() })
      for (const line of lines) printLine(line)
    })

export const archiveBeside = (backup: string): string => `${backup}.archive`

/** The files of a dataset, otherwise of the installation that commands use by default. */
export function databaseToBackUp(data: string | undefined): DataFiles {
  const dataset = data === undefined ? (listRunning(root)[0]?.dataset ?? demoDataset) : resolve(data)
  const files = dataFilesOf(dataset)
  if (existsSync(files.database)) return files
  throw new CommandError(
    `There is no database of ${shortPath(dataset)}: ${START_COMMAND} --data ${shortPath(dataset)} makes one`,
  )
}

interface BackupTarget {
  /** A new file, or an existing folder. */
  readonly path: string
  readonly keep?: number | undefined
  readonly now: Date
}

/**
 * Copies a database and its archive. SQLite reads the copy in one transaction while the engine writes on. The
 * archive comes second: its files never change, and a day archived meanwhile is in the copied table. The file
 * has its name once it is on the disk. Returns lines that say what was done.
 */
export async function backUp(files: DataFiles, { path, keep, now }: BackupTarget): Promise<string[]> {
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  if (keep !== undefined && !isFolder)
    throw usageError(`--keep needs an existing folder: mkdir -p ${shortPath(path)}`)
  const target = isFolder ? join(path, nameOf(files, now)) : resolve(path)
  if (existsSync(target)) throw new CommandError(`${shortPath(target)} exists already: name another file`)
  const part = `${target}.part`
  try {
    await copyDatabase(files.database, part)
    if (existsSync(files.archive)) await cp(files.archive, archiveBeside(target), { recursive: true })
    await rename(part, target)
    await syncToDisk(dirname(target))
  } catch (error) {
    const begun = [part, `${part}-journal`, archiveBeside(target)]
    await Promise.all(begun.map((one) => rm(one, { recursive: true, force: true })))
    throw error
  }
  await writeFile(files.lastBackup, `${now.toISOString()}\n`)
  const removed = keep === undefined ? [] : await removeOlder(files, path, keep)
  return [
    `${shortPath(target)}: ${(statSync(target).size / 1e6).toFixed(1)} MB of ${shortPath(files.database)}`,
    ...removed.map((name) => `${shortPath(join(path, name))}: removed`),
  ]
}

const stemOf = ({ database }: DataFiles): string => basename(database, '.db')

/** A time in the name of a file. It is UTC, so that the names are in the order of time. */
export const timeInName = (now: Date): string => `${now.toISOString().replaceAll(':', '-').slice(0, 19)}Z`

const nameOf = (files: DataFiles, now: Date): string => `${stemOf(files)}-${timeInName(now)}.db`

async function copyDatabase(database: string, target: string): Promise<void> {
  await rm(target, { force: true })
  // The file is created first, with rights for its owner alone.
  await (await open(target, 'wx', 0o600)).close()
  try {
    inDatabase(database, (source) => source.prepare('VACUUM INTO ?').run(target))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${shortPath(database)} cannot be copied to ${shortPath(target)}: ${reason}`)
  }
  requireSound(target)
  await syncToDisk(target)
}

/** Throws CommandError unless a file is a whole database of the engine. */
export function requireSound(path: string): void {
  if (!isSound(path)) throw new CommandError(`${shortPath(path)} is damaged, or is not a backup of Tollgate`)
}

function isSound(path: string): boolean {
  try {
    return inDatabase(path, (database) => {
      const verdict = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
      const tables = database.prepare('SELECT count(*) AS number FROM _tables').get()
      return verdict === 'ok' && Number(tables?.['number']) > 0
    })
  } catch {
    return false
  }
}

/** Opens a database in addition to the engine. SQLite lets both read, and one write. */
function inDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Removes all but the newest backups of a dataset. Returns their names. */
async function removeOlder(files: DataFiles, folder: string, keep: number): Promise<string[]> {
  const isOurs = (name: string) =>
    name.startsWith(`${stemOf(files)}-`) && /-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/.test(name)
  const older = (await readdir(folder)).filter(isOurs).sort().slice(0, -keep)
  for (const name of older)
    for (const path of [join(folder, name), archiveBeside(join(folder, name))])
      await rm(path, { recursive: true, force: true })
  return older
}

/** Waits until a file, or the names of a folder, are on the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}
