import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ArchiveBucket, ArchiveChanged } from './bucket.ts'

/**
 * A folder in place of the bucket, for npm start and tests. Only one process at a time may write objects that
 * exist: npx tollgate archive locks the folder.
 */
export const folderBucket = (folder: string): ArchiveBucket => ({
  open: async (key) => {
    const path = join(folder, key)
    const found = await versionAt(path)
    if (!found) return undefined
    const read = async (from: number, to: number) => {
      if ((await versionAt(path))?.version !== found.version) throw new ArchiveChanged(key)
      return bytesOf(path, from, to)
    }
    return { ...found, read }
  },
  write: async (key, source, replaced) => {
    const path = join(folder, key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const copy = `${path}.${randomUUID()}`
    try {
      await copyDurably(source, copy)
      if (replaced === undefined) await link(copy, path).catch(throwIfThere(key))
      else if ((await versionAt(path))?.version === replaced) await rename(copy, path)
      else throw new ArchiveChanged(key)
      return (await versionAt(path))?.version ?? ''
    } finally {
      await rm(copy, { force: true })
    }
  },
})

/** A replaced file is another one of the file system, with another time. */
async function versionAt(path: string): Promise<{ bytes: number; version: string } | undefined> {
  const found = await stat(path, { bigint: true }).catch(undefinedIfAbsent)
  return found && { bytes: Number(found.size), version: `${found.ino} ${found.mtimeNs} ${found.size}` }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

const throwIfThere =
  (key: string) =>
  (error: unknown): never => {
    throw codeOf(error) === 'EEXIST' ? new ArchiveChanged(key) : error
  }

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

async function bytesOf(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The calls leave the table because of this file, so it is on the disk before it has its name. */
async function copyDurably(source: string, copy: string): Promise<void> {
  await copyFile(source, copy)
  const file = await open(copy)
  await file.sync()
  await file.close()
}
