import { constants, existsSync } from 'node:fs'
import { copyFile, cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { tableLocation } from '#lib/table/table.ts'
import { START_COMMAND } from '#tools/machine/program.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { openTable } from '../../command-line/open-table.ts'
import { requireReadable } from '../../command-line/table-stamp.ts'
import { type DataFiles, dataFilesOf, demoDataset, prepareDataFolder } from '../../machine/data-folder.ts'
import { lockFile } from '../../machine/file-lock.ts'
import { shortPath } from '../../machine/location.ts'
import { agreesTo, CommandError, printLine, terminalUser } from '../../machine/terminal.ts'
import { startEngine } from '../../server/engine.ts'
import { archiveBeside, requireSound, syncToDisk, timeInName } from '../backup/backup.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It replaces the database of an installation that is stopped, and the folder of its archived calls. What was there is kept beside it, \
under a name that ends in the time of the restore. The dataset needs no files: a new folder becomes an installation.',
    )
    .argument('<file>', 'a file of npx tollgate backup', pathArgument)
    .option('--data <FOLDER>', 'the dataset whose data is replaced (default: data/demo)', pathArgument)
    .option('--yes', 'replace without asking; required without a terminal')
    .action(async (file, { data, yes = false }) => {
      requireFile(file)
      const dataset = data === undefined ? demoDataset : resolve(data)
      const question = `Replace the data of ${shortPath(dataset)} by ${shortPath(file)}?`
      if (!yes && !(await agreesTo(question)))
        throw new CommandError('Nothing was replaced: pass --yes to replace it')
      await mkdir(dataset, { recursive: true })
      for (const line of await restoreBackup(resolve(file), dataFilesOf(dataset), new Date())) printLine(line)
      printLine(`Start it: ${START_COMMAND} --data ${shortPath(dataset)}`)
    })

function requireFile(file: string): void {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}`)
}

/**
 * Puts a backup in the place of the data of a dataset. It is copied and opened by the engine before anything
 * is replaced, and what was there is renamed, so that a restore can be interrupted and taken back. The audit
 * log of the restored table has an entry. Returns lines that say what was done.
 */
export async function restoreBackup(backup: string, files: DataFiles, now: Date): Promise<string[]> {
  if (!existsSync(backup)) throw new CommandError(`There is no file ${shortPath(backup)}`)
  requireSound(backup)
  const { database, archive } = files
  const release = lockFile(
    files.lock,
    () => `An npm start uses ${shortPath(database)}: stop it, and restore then`,
  )
  try {
    await mkdir(dirname(database), { recursive: true, mode: 0o700 })
    const copies = { database: `${database}.restoring`, archive: `${archive}.restoring` }
    for (const one of [...databaseFiles(copies.database), copies.archive])
      await rm(one, { recursive: true, force: true })
    await copyFile(backup, copies.database, constants.COPYFILE_FICLONE)
    await noteRestore(copies.database, `npx tollgate restore ${shortPath(backup)}`, now)
    if (existsSync(archiveBeside(backup)))
      await cp(archiveBeside(backup), copies.archive, { recursive: true })
    const kept = await putAside(files, now)
    if (existsSync(copies.archive)) await rename(copies.archive, archive)
    await rename(copies.database, database)
    await rm(files.loading, { force: true })
    await prepareDataFolder(files, false)
    await syncToDisk(dirname(database))
    return [
      `${shortPath(database)}: restored from ${shortPath(backup)}`,
      ...kept.map((path) => `${shortPath(path)}: what was there before`),
    ]
  } finally {
    release()
  }
}

/** A SQLite database with its log. The log goes first: without it, the last writes are missing. */
const databaseFiles = (database: string): string[] => [`${database}-wal`, `${database}-shm`, database]

/** Opens a copy with the engine, which proves it readable, and writes the audit log entry. */
async function noteRestore(database: string, action: string, now: Date): Promise<void> {
  await syncToDisk(database)
  const engine = await startEngine(database)
  try {
    const location = tableLocation({ ...process.env, DYNAMODB_ENDPOINT: engine.endpoint })
    await requireReadable(location)
    await openTable(location).transact([inAuditLog({ at: now.toISOString(), who: terminalUser(), action })])
  } finally {
    await engine.stop()
  }
  const [log = ''] = databaseFiles(database)
  if (existsSync(log)) throw new CommandError(`${shortPath(log)} was not taken into the copy: try again`)
}

/** Renames what is replaced, so that the engine can still open it. Returns both new paths. */
async function putAside({ archive, database }: DataFiles, now: Date): Promise<string[]> {
  const end = `.before-${timeInName(now)}`
  const names = [[archive], databaseFiles(database)].flatMap((paths) =>
    paths.map((path) => [path, path.replace(/(?:-wal|-shm)?$/, (log) => `${end}${log}`)] as const),
  )
  const present = names.filter(([path]) => existsSync(path))
  for (const [path, aside] of present) await rename(path, aside)
  return present.filter(([path]) => path === archive || path === database).map(([, aside]) => aside)
}
