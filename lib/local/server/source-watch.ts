import { existsSync, type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#lib/local/root.ts'

/** What `npm start` serves is made of these. */
const SOURCE = ['functions', 'lib', 'console'].map((name) => root + name)

/** A folder that comes or goes has no ending. */
const matters = (name: string): boolean =>
  !name.includes('.') || (/\.(tsx?|css|html)$/.test(name) && !name.endsWith('.test.ts'))

/** In milliseconds. Whoever saves several files, or changes the branch, means them together. */
const SILENCE = 150

/**
 * Calls back a moment after the source has last changed; answers how to stop that. Each folder is watched for itself:
 * of folders below others Node's own watch misses changes on Linux.
 */
export async function watchSource(changed: () => void): Promise<() => void> {
  const watched = new Map<string, FSWatcher>()
  let due: NodeJS.Timeout | undefined
  const noticed = (_kind: string, name: string | null) => {
    if (name === null || !matters(name)) return
    clearTimeout(due)
    due = setTimeout(() => void look().then(changed), SILENCE)
  }
  const look = async () => {
    const folders = await foldersOfSource()
    for (const folder of folders.filter((one) => !watched.has(one))) {
      watched.set(folder, watchFolder(folder, noticed))
    }
  }
  await look()
  return () => {
    clearTimeout(due)
    for (const watcher of watched.values()) watcher.close()
  }
}

/** A folder that goes is not worth an error. */
const watchFolder = (folder: string, noticed: (kind: string, name: string | null) => void): FSWatcher =>
  watch(folder, noticed).on('error', () => {})

async function foldersOfSource(): Promise<string[]> {
  const folders = await Promise.all(
    SOURCE.filter((folder) => existsSync(folder)).map(async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const below = entries.filter((entry) => entry.isDirectory())
      return [folder, ...below.map(({ parentPath, name }) => join(parentPath, name))]
    }),
  )
  return folders.flat()
}
