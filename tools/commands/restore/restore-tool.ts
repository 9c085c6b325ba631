import { constants, existsSync } from 'node:fs'
import { copyFile, cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { tableLocation } from '#lib/table/table.ts'
import { openTable } from '../../command-line/open-table.ts'
import { requireReadable } from '../../command-line/table-stamp.ts'
import { type DataFiles, prepareDataFolder } from '../../machine/data-folder.ts'
import { lockFile } from '../../machine/file-lock.ts'
import { shortPath } from '../../machine/location.ts'
import { CommandError, terminalUser } from '../../machine/terminal.ts'
import { startEngine } from '../../server/engine.ts'
import { archiveBeside, requireSound, syncToDisk, timeInName } from '../backup/backup-tool.ts'

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
