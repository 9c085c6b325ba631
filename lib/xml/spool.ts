import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, promises } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { Markup, RowStream } from './element.ts'

/** Rows that were rendered and counted before the first of them is sent. */
export interface CountedRows {
  readonly count: number
  readonly rows: readonly Markup[] | RowStream
}

/** The markup of some rows, with their number. */
export interface CountedMarkup extends Markup {
  readonly count: number
}

/** Markup beyond this size goes to disk. */
const MAX_BYTES_IN_MEMORY = 1_000_000

/** No transport can carry a larger answer, even compressed. */
const MAX_BYTES = 1_600_000_000

/**
 * Counts rows whose number is printed before them. Long lists are stored, compressed, in the temporary
 * directory. `tooLong` creates the error for a list that no transport can carry.
 */
export async function countRows(
  batches: AsyncIterable<CountedMarkup>,
  tooLong: () => Error,
): Promise<CountedRows> {
  const kept: CountedMarkup[] = []
  const size = { count: 0, bytes: 0 }
  const rest = counted(batches, size, tooLong)
  for (;;) {
    const { value, done } = await rest.next()
    if (done) return { count: size.count, rows: kept }
    kept.push(value)
    if (size.bytes > MAX_BYTES_IN_MEMORY) return spooled(kept, rest, size)
  }
}

interface Size {
  count: number
  bytes: number
}

async function* counted(
  batches: AsyncIterable<CountedMarkup>,
  size: Size,
  tooLong: () => Error,
): AsyncGenerator<CountedMarkup> {
  for await (const batch of batches) {
    if (batch.count === 0) continue
    size.count += batch.count
    size.bytes += Buffer.byteLength(batch.markup)
    if (size.bytes > MAX_BYTES) throw tooLong()
    yield batch
  }
}

async function spooled(
  kept: readonly CountedMarkup[],
  rest: AsyncGenerator<CountedMarkup>,
  size: Size,
): Promise<CountedRows> {
  const path = await newSpoolFile()
  const written = promises.pipeline(
    markupOf(kept, rest),
    createGzip({ level: FASTEST }),
    createWriteStream(path, { mode: 0o600 }),
  )
  await written.catch(async (error) => {
    await rm(path, { force: true })
    throw error
  })
  const discard = () => void rm(path).catch(() => undefined)
  return { count: size.count, rows: { batches: readBack(path), expectedBytes: size.bytes, discard } }
}

const FASTEST = 1

async function* markupOf(
  kept: readonly CountedMarkup[],
  rest: AsyncGenerator<CountedMarkup>,
): AsyncGenerator<string> {
  for (const { markup } of kept) yield markup
  for await (const { markup } of rest) yield markup
}

async function* readBack(path: string): AsyncGenerator<Markup> {
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => undefined)
  for await (const markup of unpacked.setEncoding('utf8')) yield { markup: String(markup) }
}

const spoolFolder = join(tmpdir(), 'tollgate-spool')

/** Killed processes leave their files behind. Older files are deleted: no answer takes longer than this. */
const MAX_ANSWER_MS = 15 * 60_000

async function newSpoolFile(): Promise<string> {
  await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(spoolFolder)) {
    const path = join(spoolFolder, name)
    const mtimeMs = await stat(path).then((stats) => stats.mtimeMs, Date.now)
    if (Date.now() - mtimeMs > MAX_ANSWER_MS) await rm(path, { force: true })
  }
  return join(spoolFolder, randomUUID())
}
