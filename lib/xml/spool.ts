import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Content, Markup, Rows } from './element.ts'

/** Rows that have been made and counted before the first of them leaves. */
export interface CountedRows {
  readonly count: number
  readonly rows: Rows
}

/** Some rows' markup. */
export interface Batch extends Markup {
  readonly count: number
}

/** No more markup than this stays in memory. */
const MOST_IN_MEMORY = 1_000_000

/** What no way out could carry, however well it compresses, is not worth the disk. */
const MOST_BYTES = 1_600_000_000

/**
 * Counts rows whose number has to be told before them. Long lists wait compressed in the temporary directory; `tooLong`
 * makes the error for what nobody could take delivery of.
 */
export async function countRows(batches: AsyncIterable<Batch>, tooLong: () => Error): Promise<CountedRows> {
  const kept: Batch[] = []
  const size = { count: 0, bytes: 0 }
  const rest = counted(batches, size, tooLong)
  for (;;) {
    const { value, done } = await rest.next()
    if (done) return { count: size.count, rows: { batches: asBatches(kept), expectedBytes: size.bytes } }
    kept.push(value)
    if (size.bytes > MOST_IN_MEMORY) return spooled(kept, rest, size)
  }
}

interface Size {
  count: number
  bytes: number
}

async function* counted(
  batches: AsyncIterable<Batch>,
  size: Size,
  tooLong: () => Error,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    if (batch.count === 0) continue
    size.count += batch.count
    size.bytes += Buffer.byteLength(batch.markup)
    if (size.bytes > MOST_BYTES) throw tooLong()
    yield batch
  }
}

async function* asBatches(kept: readonly Batch[]): AsyncGenerator<Content> {
  yield* kept
}

async function spooled(
  kept: readonly Batch[],
  rest: AsyncGenerator<Batch>,
  size: Size,
): Promise<CountedRows> {
  const path = await newSpoolFile()
  const written = pipeline(
    markupOf(kept, rest),
    createGzip({ level: FASTEST }),
    createWriteStream(path, { mode: 0o600 }),
  )
  await written.catch(async (error) => {
    await rm(path, { force: true })
    throw error
  })
  return { count: size.count, rows: { batches: readBack(path), expectedBytes: size.bytes } }
}

const FASTEST = 1

async function* markupOf(kept: readonly Batch[], rest: AsyncGenerator<Batch>): AsyncGenerator<string> {
  for (const { markup } of kept) yield markup
  for await (const { markup } of rest) yield markup
}

async function* readBack(path: string): AsyncGenerator<Markup> {
  try {
    const unpacked = createReadStream(path).compose(createGunzip()).setEncoding('utf8')
    for await (const markup of unpacked) yield { markup: String(markup) }
  } finally {
    await rm(path, { force: true })
  }
}

const folder = join(tmpdir(), 'tollgate-spool')

/** An answer that was refused after all leaves its file behind; no answer takes longer than this to leave. */
const ANSWER_TIMEOUT_SECONDS_MS = 15 * 60_000

async function newSpoolFile(): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ANSWER_TIMEOUT_SECONDS_MS) await rm(path, { force: true })
  }
  return join(folder, randomUUID())
}
