import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { rowEndScanner } from '#lib/csv/row-ends.ts'
import { complaintOf } from '#lib/local/commands/complaint.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { type CdrDocument, isCsvFormat } from '#lib/mediation/formats/cdr.ts'
import { type MediationReport, mediate } from '#lib/mediation/mediate.ts'
import type { Mediation } from '#lib/mediation/mediation.ts'

/** A file that a switch writes to, and where its position is kept. */
export interface Followed {
  readonly path: string
  readonly state: string
  /** How its lines are read. */
  readonly empty: CdrDocument
}

/**
 * Mediates the complete lines that were added since the last time, and yields the counts of each part. After a rotation
 * the rest of the renamed file is read before the new one; a truncated file is read from its beginning. The position
 * is written after the lines are stored: lines that are read twice are stored once.
 */
export async function* takeNews(
  openMediation: () => Promise<Mediation>,
  followed: Followed,
): AsyncGenerator<MediationReport> {
  const { path, state } = followed
  const known = readPosition(state)
  const current = await open(path).catch(absent)
  try {
    if (current && known && (await isAt(current, known)))
      return yield* takeFrom(openMediation, followed, { file: current, path, offset: known.offset })
    if (known) yield* takeRestOfRenamed(openMediation, followed, known)
    if (current) yield* takeFrom(openMediation, followed, { file: current, path, offset: 0 })
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
  readonly path: string
  readonly offset: number
}

async function* takeFrom(
  openMediation: () => Promise<Mediation>,
  { state, empty }: Followed,
  { file, path, offset }: Reading,
): AsyncGenerator<MediationReport> {
  const isCsv = isCsvFormat(empty.format)
  let at = offset
  const take = async (text: string): Promise<MediationReport> =>
    mediate(await openMediation(), [{ ...empty, text, object: path }])
  for (;;) {
    const lines = await linesFrom(file, at, isCsv)
    if (lines.length === 0) return
    const header = isCsv && at > 0 ? await firstLine(file) : ''
    yield await take(`${header}${lines}`).catch((error: unknown) => failAt(error, path, at))
    at += lines.length
    writePosition(state, await positionIn(file, at))
  }
}

/** An unexpected error would come back at each restart: the operator needs the place, and a way to continue. */
function failAt(error: unknown, path: string, offset: number): never {
  if (complaintOf(error, { tableName: '' }) !== undefined) throw error
  const cause = error instanceof Error ? error.stack : String(error)
  throw new CommandError(
    `${path}, from byte ${offset}: these lines cannot be mediated. Every earlier line is stored. Run the same command again: it resumes here. \
If it fails again, move the file to another folder: the command then continues with the next file of this name. \
tail -c +${offset + 1} prints the rest: ingest it without the broken line.\n${cause}`,
    { cause: error },
  )
}

async function* takePath(
  openMediation: () => Promise<Mediation>,
  followed: Followed,
  { path, offset }: { readonly path: string; readonly offset: number },
): AsyncGenerator<MediationReport> {
  const file = await open(path)
  try {
    yield* takeFrom(openMediation, followed, { file, path, offset })
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
  openMediation: () => Promise<Mediation>,
  followed: Followed,
  known: Position,
): AsyncGenerator<MediationReport> {
  const files = await oldestFirst(dirname(followed.path))
  const renamed = await firstAt(files, known)
  if (!renamed) return
  yield* takePath(openMediation, followed, { path: renamed.path, offset: known.offset })
  const later = files.filter(({ path, time }) => time >= renamed.time && path !== renamed.path)
  for (const { path } of later.filter((file) => isRotated(file.path, followed.path))) {
    yield* takePath(openMediation, followed, { path, offset: 0 })
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

// Position

const positionSchema = v.object({ inode: v.number(), offset: v.number(), tail: v.string() })

/** How far a growing file was mediated: its inode, the number of bytes, and a hash of the last of them. */
type Position = v.InferOutput<typeof positionSchema>

/** `undefined` without a position, or for one that was not written to its end. */
function readPosition(path: string): Position | undefined {
  try {
    return v.parse(positionSchema, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** A rename replaces the position as a whole or not at all. */
function writePosition(path: string, position: Position): void {
  const fresh = `${path}.new`
  writeFileSync(fresh, JSON.stringify(position), { mode: 0o600 })
  renameSync(fresh, path)
}

const TAIL_BYTES = 1024

/** A hash of the last KB before an offset. */
async function tailBefore(file: FileHandle, offset: number): Promise<string> {
  const from = Math.max(0, offset - TAIL_BYTES)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(offset - from), position: from })
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex')
}

/** Whether an open file is the one of a position, and still holds what was read of it. */
async function isAt(file: FileHandle, { inode, offset, tail }: Position): Promise<boolean> {
  const { ino, size } = await file.stat()
  return ino === inode && size >= offset && (await tailBefore(file, offset)) === tail
}

// Lines

const LINE_END = 10

/** Bytes that are read at once: a single CDR must fit. */
const MAX_BYTES = 4_000_000

/** A row of more lines has broken quotes: SDP within quotes has fewer. */
const MAX_LINES_OF_A_ROW = 100

/**
 * The complete lines from an offset on, as many as are read at once; blank when there are none. A line that is too long
 * for a CDR is returned without its end, and becomes a suspended CDR.
 */
async function linesFrom(file: FileHandle, offset: number, isCsv: boolean): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_BYTES), position: offset })
  const bytes = buffer.subarray(0, bytesRead)
  const end = isCsv ? endOfRows(bytes) : endOfLines(bytes)
  return bytes.subarray(0, end === 0 && bytesRead === MAX_BYTES ? bytesRead : end)
}

const endOfLines = (bytes: Buffer): number => bytes.lastIndexOf(LINE_END) + 1

/** The offset after the last line end that is not within quotes, or within quotes that are broken. */
function endOfRows(bytes: Buffer): number {
  const end = rowEndScanner(true)(bytes).at(-1) ?? 0
  return end === 0 && countLines(bytes) > MAX_LINES_OF_A_ROW ? endOfLines(bytes) : end
}

const countLines = (bytes: Buffer): number =>
  bytes.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0)

/** The first line, with its end. */
async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64_000), position: 0 })
  return buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf(LINE_END) + 1)
}
