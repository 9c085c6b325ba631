import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Delivery } from '#lib/ingest/switches/delivery.ts'
import type { IntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { type TakenCounts, takeDocuments } from '#lib/ingest/switches/take-document.ts'
import { isAt, type Position, readPosition, tailBefore, writePosition } from './position.ts'
import { firstLine, linesFrom } from './whole-lines.ts'

/** A file that a switch writes to, and where its position is kept. */
export interface Followed {
  readonly path: string
  readonly state: string
  readonly delivery: Delivery
}

/** Formats whose lines mean nothing without the first one. */
const WITH_HEADER: ReadonlySet<string> = new Set(['freeswitch-csv', 'asterisk-csv', 'kamailio-csv', 'csv'])

/**
 * Takes in what has come since the last time, line by complete line, and says what came of each part. A file that took the
 * place of the one before is read from its beginning, after the rest of the one that was renamed; so is one that was cut.
 * The position is written after the lines are stored: what is read twice is stored once.
 */
export async function* takeNews(
  world: () => Promise<IntakeWorld>,
  followed: Followed,
): AsyncGenerator<TakenCounts> {
  const known = readPosition(followed.state)
  const current = await open(followed.path).catch(absent)
  try {
    if (current && known && (await isAt(current, known)))
      return yield* takeFrom(world, followed, { file: current, offset: known.offset })
    if (known) yield* takeRestOfRenamed(world, followed, known)
    if (current) yield* takeFrom(world, followed, { file: current, offset: 0 })
  } finally {
    await current?.close()
  }
}

/** Between the renaming and the next record there is no file. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

interface Reading {
  readonly file: FileHandle
  readonly offset: number
}

async function* takeFrom(
  world: () => Promise<IntakeWorld>,
  { state, delivery }: Followed,
  { file, offset }: Reading,
): AsyncGenerator<TakenCounts> {
  const isCsv = WITH_HEADER.has(delivery.format)
  let at = offset
  for (;;) {
    const lines = await linesFrom(file, at, isCsv)
    if (lines.length === 0) return
    const header = isCsv && at > 0 ? await firstLine(file) : ''
    yield await takeDocuments(await world(), delivery, [`${header}${lines}`])
    at += lines.length
    writePosition(state, await positionIn(file, at))
  }
}

async function* takePath(
  world: () => Promise<IntakeWorld>,
  followed: Followed,
  { path, offset }: { readonly path: string; readonly offset: number },
): AsyncGenerator<TakenCounts> {
  const file = await open(path)
  try {
    yield* takeFrom(world, followed, { file, offset })
  } finally {
    await file.close()
  }
}

async function positionIn(file: FileHandle, offset: number): Promise<Position> {
  const { ino: inode } = await file.stat()
  return { inode, offset, tail: await tailBefore(file, offset) }
}

/** Log rotation gives a file another name in its folder, and may have done so more than once since the last time. */
async function* takeRestOfRenamed(
  world: () => Promise<IntakeWorld>,
  followed: Followed,
  known: Position,
): AsyncGenerator<TakenCounts> {
  const files = await oldestFirst(dirname(followed.path))
  const renamed = await firstAt(files, known)
  if (!renamed) return
  yield* takePath(world, followed, { path: renamed.path, offset: known.offset })
  const later = files.filter(({ path, time }) => time >= renamed.time && path !== renamed.path)
  for (const { path } of later.filter((file) => isRotated(file.path, followed.path))) {
    yield* takePath(world, followed, { path, offset: 0 })
  }
}

/** What logrotate makes of a name, with a number or a date; what is compressed already was read before. */
const isRotated = (path: string, original: string): boolean =>
  path.startsWith(original) && /^[.-][\d.-]*\d$/.test(path.slice(original.length))

interface FileOfFolder {
  readonly path: string
  /** When it was last written to. */
  readonly time: number
}

async function oldestFirst(folder: string): Promise<FileOfFolder[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const times = await Promise.all(paths.map((path) => stat(path).catch(absent)))
  const files = paths.map((path, place) => ({ path, time: times[place]?.mtimeMs ?? 0 }))
  return files.sort((one, other) => one.time - other.time)
}

async function firstAt(files: readonly FileOfFolder[], known: Position): Promise<FileOfFolder | undefined> {
  for (const file of files) {
    const opened = await open(file.path).catch(() => undefined)
    const isIt = opened && (await isAt(opened, known))
    await opened?.close()
    if (isIt) return file
  }
  return undefined
}
