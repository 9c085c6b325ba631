import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { hexDigest } from '#lib/base/digest.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { isCsvFormat } from '#lib/cdrs/formats/formats.ts'
import { type MediationContext, openMediation } from '#lib/cdrs/mediation.ts'
import { type MediationReport, mediate, partsOf } from '#lib/cdrs/pipeline.ts'
import { decodeText, encodingOf } from '#lib/csv/encoding.ts'
import { statedDelimiter } from '#lib/csv/reader.ts'
import { rowEndScanner } from '#lib/csv/row-ends.ts'
import type { Store } from '#lib/table/store.ts'
import { errorMessage } from '../../command-line/error-message.ts'
import { dataFolder } from '../../machine/data-folder.ts'
import { lockFile } from '../../machine/file-lock.ts'
import { CommandError } from '../../machine/terminal.ts'
import {
  describeReport,
  emptyDocument,
  type IngestOptions,
  refuseUnreadable,
  unpricedSince,
} from './ingest-tool.ts'

/** The pause before the file is read again. */
const PAUSE_MS = 1000

/** Mediates the CDRs that a switch adds to a file, until `signal` ends it; yields a line for each part. */
export async function* followFile(
  store: Store,
  options: IngestOptions,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!existsSync(path)) throw new CommandError(`There is no file ${path}`)
  const empty = emptyDocument(options)
  if (empty.format === 'freeswitch-xml')
    throw new CommandError('freeswitch-xml has one file for each CDR: ingest the files without --follow')
  await refuseUtf16(path)
  const state = statePath(path, empty.source)
  const release = lockFile(
    `${state}.lock`,
    (holder) => `${path} is already followed by ${holder}: stop it first`,
  )
  const newUnpriced = unpricedSince(store)
  try {
    while (!signal.aborted) {
      for await (const report of mediateNewLines({
        path,
        state,
        empty,
        force: options.force,
        open: () => openMediation(store, new Date()),
      })) {
        yield `${path}: ${describeReport(report)}`
        yield* newUnpriced()
      }
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    release()
  }
}

/** Each file and switch has a position of its own. */
function statePath(path: string, source: string): string {
  const digest = hexDigest(resolve(path)).slice(0, 12)
  return `${dataFolder}/follow-${source}-${digest}.json`
}

/** A file that a switch writes to. */
export interface Followed {
  readonly path: string
  readonly state: string
  /** Also mediates a file whose first lines cannot be read. */
  readonly force?: boolean | undefined
  /** The format of the lines, and the switch. */
  readonly empty: CdrDocument
  readonly open: () => Promise<MediationContext>
}

/**
 * Mediates the complete lines that were added since the last time, and yields the counts of each part. After
 * a rotation the rest of the renamed file is read before the new one; a truncated file is read from its
 * beginning. The position is written after the lines are stored: lines that are read twice are stored once.
 */
export async function* mediateNewLines(followed: Followed): AsyncGenerator<MediationReport> {
  const { path, state } = followed
  const known = readPosition(state)
  const current = await open(path).catch(undefinedIfMissing)
  try {
    if (current && known && (await isAt(current, known)))
      return yield* mediateFrom(followed, current, path, known.offset)
    if (known) yield* mediateRenamed(followed, known)
    if (current) yield* mediateFrom(followed, current, path, 0)
  } finally {
    await current?.close()
  }
}

/** Between the renaming and the next CDR there is no file. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function* mediateFrom(
  { state, empty, force = false, open: openNow }: Followed,
  file: FileHandle,
  path: string,
  offset: number,
): AsyncGenerator<MediationReport> {
  const isCsv = isCsvFormat(empty.format)
  let at = offset
  const mediateText = async (lines: Buffer): Promise<MediationReport> => {
    const text = decodeText(lines)
    const [mediation, document] = [await openNow(), { ...empty, text, object: path }]
    if (at === 0 && !force) refuseUnreadable(mediation, document)
    return mediate(mediation, partsOf(mediation, [document]))
  }
  for (;;) {
    const lines = await linesFrom(file, at, isCsv)
    if (lines.length === 0) return
    const header = isCsv && at > 0 ? await firstLine(file) : Buffer.alloc(0)
    yield await mediateText(Buffer.concat([header, lines])).catch((error: unknown) => failAt(error, path, at))
    at += lines.length
    writePosition(state, await positionIn(file, at))
  }
}

/** An unexpected error would recur at each restart: the operator needs the place, and a way to continue. */
function failAt(error: unknown, path: string, offset: number): never {
  if (errorMessage(error, { tableName: '' }) !== undefined) throw error
  const cause = error instanceof Error ? error.stack : String(error)
  throw new CommandError(
    `${path}, from byte ${offset}: these lines cannot be mediated. Every earlier line is stored. Run the same command again: it resumes here. \
If it fails again, move the file to another folder: the command then continues with the next file of this name. \
tail -c +${offset + 1} prints the rest: ingest it without the broken line.\n${cause}`,
    { cause: error },
  )
}

async function* mediatePath(
  followed: Followed,
  path: string,
  offset: number,
): AsyncGenerator<MediationReport> {
  const file = await open(path)
  try {
    yield* mediateFrom(followed, file, path, offset)
  } finally {
    await file.close()
  }
}

async function positionIn(file: FileHandle, offset: number): Promise<Position> {
  const { ino: inode } = await file.stat()
  return { inode, offset, tail: await tailBefore(file, offset) }
}

/** Log rotation renames a file within its folder, possibly more than once since the last run. */
async function* mediateRenamed(followed: Followed, known: Position): AsyncGenerator<MediationReport> {
  const files = await oldestFirst(dirname(followed.path))
  const renamed = await firstAt(files, known)
  if (!renamed) return
  yield* mediatePath(followed, renamed.path, known.offset)
  const later = files.filter(({ path, time }) => time >= renamed.time && path !== renamed.path)
  for (const { path } of later.filter((file) => isRotated(file.path, followed.path))) {
    yield* mediatePath(followed, path, 0)
  }
}

/** The names that logrotate gives, with a number or a date. A compressed file was read earlier. */
const isRotated = (path: string, original: string): boolean =>
  path.startsWith(original) && /^[.-][\d.-]*\d$/.test(path.slice(original.length))

interface FileOfFolder {
  readonly path: string
  /** The last change, in milliseconds since 1970. */
  readonly time: number
}

async function oldestFirst(folder: string): Promise<FileOfFolder[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const times = await Promise.all(paths.map((path) => stat(path).catch(undefinedIfMissing)))
  const files = paths.map((path, index) => ({ path, time: times[index]?.mtimeMs ?? 0 }))
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

/** The progress in a growing file: its inode, the mediated bytes, and a hash of the last ones. */
type Position = v.InferOutput<typeof positionSchema>

/** Returns `undefined` without a position, and for one that was not completely written. */
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
  return hexDigest(buffer.subarray(0, bytesRead))
}

/** Whether an open file is the one of a position and still holds the mediated bytes. */
async function isAt(file: FileHandle, { inode, offset, tail }: Position): Promise<boolean> {
  const { ino, size } = await file.stat()
  return ino === inode && size >= offset && (await tailBefore(file, offset)) === tail
}

// Lines

const LINE_FEED = 10

/** The bytes that are read at once: a single CDR must fit. */
const READ_BYTES = 4_000_000

/** A row of more lines has broken quotes: SDP within quotes has fewer. */
const MAX_ROW_LINES = 100

/**
 * The complete lines from an offset on, as many as are read at once; blank when there are none. A line that
 * is too long for a CDR is returned without its end, and becomes a suspended CDR.
 */
async function linesFrom(file: FileHandle, offset: number, isCsv: boolean): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(READ_BYTES), position: offset })
  const bytes = buffer.subarray(0, bytesRead)
  const end = isCsv ? endOfRows(bytes) : endOfLines(bytes)
  return bytes.subarray(0, end === 0 && bytesRead === READ_BYTES ? bytesRead : end)
}

const endOfLines = (bytes: Buffer): number => bytes.lastIndexOf(LINE_FEED) + 1

/** The offset after the last line end that is not within quotes, or within quotes that are broken. */
function endOfRows(bytes: Buffer): number {
  const end = rowEndScanner(true)(bytes).at(-1) ?? 0
  return end === 0 && countLines(bytes) > MAX_ROW_LINES ? endOfLines(bytes) : end
}

const countLines = (bytes: Buffer): number =>
  bytes.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0)

/** The first line, with its end; two lines if the first one states the delimiter. */
async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64_000), position: 0 })
  const bytes = buffer.subarray(0, bytesRead)
  const from = statedDelimiter(bytes.toString()) ? bytes.indexOf(LINE_FEED) + 1 : 0
  return bytes.subarray(0, bytes.indexOf(LINE_FEED, from) + 1)
}

/** The line ends of UTF-16 are not single bytes. */
async function refuseUtf16(path: string): Promise<void> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096), position: 0 })
  await file.close()
  if (encodingOf(buffer.subarray(0, bytesRead)).startsWith('utf-16'))
    throw new CommandError(`${path} is UTF-16: ingest it without --follow, or have the switch write UTF-8`)
}
