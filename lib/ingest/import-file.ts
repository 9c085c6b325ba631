import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { MediationReport } from '#lib/cdrs/pipeline/pipeline.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { isFileName } from '#lib/dataset/import/files.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { forgetFailedImport } from '#lib/settings/failed-import.ts'
import { admit, type BucketPrefix, type NamedFile } from './bucket-prefixes.ts'
import type { importDroppedSheet } from './dropped-sheet.ts'
import { type FilePart, type FileTask, partMessage } from './file-message.ts'
import type { FileStore } from './file-store.ts'

/** The place where files are dropped, and how they are imported. */
export interface DroppedFiles {
  readonly prefix: BucketPrefix
  readonly files: FileStore
  /** Files larger than two parts are split into parts of at least this size. */
  readonly partBytes: number
  /** Imports rate sheets; `undefined` if its files are not sheets. */
  readonly importSheet?: typeof importDroppedSheet
}

export type FileImport = Pick<ImportContext, 'store' | 'clock'> & DroppedFiles

export type FileOutcome =
  | { readonly outcome: 'kept for sheets' }
  | { readonly outcome: 'split'; readonly parts: number }
  | ({ readonly outcome: 'mediated' } & MediationReport)
  | ({ readonly outcome: 'imported' } & Pick<WrittenReport, 'rows' | 'written' | 'unchanged'> & {
        readonly refused: number
        /** Why not all of it was imported; missing if it was. */
        readonly reason?: string
        /** The key of the refused rows, or of the report; missing if there is none. */
        readonly rejected?: string
        /** Changes of tariffs, and warnings. */
        readonly remarks?: readonly string[]
      })

/** Files whose rows are independent of each other. Other files are imported as a whole. */
const SPLITTABLE_FILES = new Set(['calls', 'local_calls', 'queue_log'])

/**
 * Imports a dropped file as an import at a terminal does. A large file goes back into the queue in parts.
 * Throws refused_file for a file that does not belong under this prefix, before anything is read or written.
 */
export async function importFile(services: FileImport, task: FileTask): Promise<FileOutcome> {
  const named = admit(services.prefix, task.key)
  const { importSheet } = services
  if (importSheet && !isFileName(named.name))
    return importSheetWithProfile({ ...services, importSheet }, task, named)
  const isLarge = task.size > 2 * services.partBytes
  if (!task.part && isLarge && SPLITTABLE_FILES.has(named.name)) {
    return split(services, task, named.extension === '.csv')
  }
  return importNow(services, task, named)
}

/**
 * Imports a rate sheet with the profile of the same name. A profile itself is only kept. A file without a
 * profile is imported as a dataset file, which refuses an unknown name with its reason.
 */
async function importSheetWithProfile(
  services: Required<FileImport>,
  task: FileTask,
  named: NamedFile,
): Promise<FileOutcome> {
  const { files, importSheet } = services
  if (named.extension === PROFILE) return { outcome: 'kept for sheets' }
  const beside = task.key.slice(0, task.key.length - named.extension.length) + PROFILE
  const profile = await files.find(task.bucket, beside)
  if (!profile) return importNow(services, task, named)
  const bytes = await buffer(await files.read(task))
  const imported = await importSheet(services, bytes, await text(profile), task.key)
  const { rejected: rows, obstacle: reason, ...outcome } = imported
  if (reason === undefined) return { outcome: 'imported', ...outcome }
  const report = await writeReport(services, task, outcome.remarks)
  const rejected = rows === undefined ? report : await writeRejected(services, task, REJECTED_ROWS, rows)
  return { outcome: 'imported', ...outcome, reason, rejected }
}

const PROFILE = '.json'

/** Sends a message for each part of a file of rows. A part may fail before the last one is sent. */
export async function split(
  { store, files, partBytes }: FileImport,
  task: FileTask,
  isCsv: boolean,
): Promise<FileOutcome> {
  await forgetFailedImport(store, task.key)
  const bytes = await files.read(task)
  let parts = 0
  for await (const part of partsOfRows(bytes, isCsv, partBytes)) {
    await files.enqueue(partMessage(task, part))
    parts += 1
  }
  return { outcome: 'split', parts }
}

/** The parts of a CSV or NDJSON file, each of at least `partBytes` but the last. */
export async function* partsOfRows(
  bytes: AsyncIterable<Buffer>,
  isCsv: boolean,
  partBytes: number,
): AsyncGenerator<FilePart> {
  let headerEnd = isCsv ? undefined : 0
  let [from, end] = [0, 0]
  for await (end of endsOfRows(bytes, isCsv)) {
    if (headerEnd === undefined) headerEnd = from = end
    if (end - from < partBytes) continue
    yield { headerEnd, from, to: end }
    from = end
  }
  if (end > from) yield { headerEnd: headerEnd ?? 0, from, to: end }
}

/** The offsets at which rows end. The last row may lack a line end. */
async function* endsOfRows(bytes: AsyncIterable<Buffer>, isCsv: boolean): AsyncGenerator<number> {
  const endsIn = rowEndScanner(isCsv)
  let [size, last] = [0, 0]
  for await (const chunk of bytes) {
    const ends = endsIn(chunk)
    yield* ends
    last = ends.at(-1) ?? last
    size += chunk.length
  }
  if (size > last) yield size
}

async function importNow(services: FileImport, task: FileTask, named: NamedFile): Promise<FileOutcome> {
  return inScratch(async (scratch) => {
    const path = join(scratch, named.file)
    await download(services, task, path)
    const dataset = services.prefix.dataset(named.folder ?? task.bucket)
    const { merge } = named
    const { key } = task
    const logAs = services.prefix.keepsLog ? { who: 'import', file: key } : undefined
    const options = { dataset, merge, who: key, hidesSecrets: true, ...(logAs && { logAs }) }
    const [report] = await importPath(services, path, options)
    if (!report) throw new Error(`${named.file} was not imported`)
    return outcomeOf(services, task, report)
  })
}

/** The outcome for the log. Refused rows and reports of unchanged tariffs go under `rejected/`. */
async function outcomeOf(services: FileImport, task: FileTask, report: WrittenReport): Promise<FileOutcome> {
  const { rows, written, unchanged, refused, rejectedFile, needsPermission, remarks = [] } = report
  const reported = needsPermission && (await writeReport(services, task, remarks))
  const rejected = rejectedFile
    ? await writeRejected(services, task, REJECTED_ROWS, await readFile(rejectedFile))
    : reported
  const reason = reasonIn(report)
  return {
    outcome: 'imported',
    rows,
    written,
    unchanged,
    refused: refused.size,
    ...(reason !== undefined && { reason }),
    ...(rejected && { rejected }),
    ...(remarks.length > 0 && { remarks }),
  }
}

/** The first refused row, or what the report says about a list that was not replaced. */
function reasonIn({ refused, notReplaced, remarks = [] }: WrittenReport): string | undefined {
  for (const [line, reason] of refused) return `line ${line}: ${reason}`
  return notReplaced ? remarks.join('; ') : undefined
}

/** Writes the changes that a tariff would have had. Returns the key. */
const writeReport = (services: FileImport, task: FileTask, remarks: readonly string[]): Promise<string> =>
  writeRejected(services, task, 'report.txt', `${remarks.join('\n')}\n`)

const REJECTED_ROWS = 'rejected.csv'

/** Writes under `rejected/`, the key of the file, and the bytes of a part. Returns the key. */
async function writeRejected(
  { files }: FileImport,
  { bucket, key, part }: FileTask,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  const where = part ? `.bytes-${part.from}-${part.to}` : ''
  const rejected = `rejected/${key.replace(/\.[^./]*$/, '')}${where}.${name}`
  await files.write(bucket, rejected, content)
  return rejected
}

/** Runs `work` with a temporary folder, and removes the folder afterwards. */
async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-import-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function download({ files }: FileImport, task: FileTask, path: string): Promise<void> {
  const [header, rows] = [await readHeader(files, task), await files.read(task, task.part)]
  const joined = async function* () {
    yield header
    yield* rows
  }
  await pipeline(joined, createWriteStream(path, { mode: 0o600 }))
}

/** The header that a part of a file needs before it; empty for a whole file. */
export async function readHeader(files: FileStore, task: FileTask): Promise<Buffer> {
  const end = task.part?.headerEnd ?? 0
  return end === 0 ? Buffer.alloc(0) : buffer(await files.read(task, { from: 0, to: end }))
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Returns a function that takes a file chunk by chunk and returns the offsets at which rows end. In CSV a
 * line end between balanced quotes ends a row (RFC 4180). A row of JSON has no line end inside.
 */
function rowEndScanner(isCsv: boolean): (chunk: Buffer) => number[] {
  const countQuotes = isCsv ? quotesIn : () => 0
  let [offset, quotes] = [0, 0]
  return (chunk) => {
    const ends: number[] = []
    let seen = 0
    for (const lineEnd of indicesOf(LINE_FEED, chunk)) {
      quotes += countQuotes(chunk.subarray(seen, lineEnd))
      seen = lineEnd
      if (quotes % 2 === 0) ends.push(offset + lineEnd + 1)
    }
    quotes += countQuotes(chunk.subarray(seen))
    offset += chunk.length
    return ends
  }
}

function quotesIn(bytes: Buffer): number {
  let count = 0
  for (const _ of indicesOf(QUOTE, bytes)) count += 1
  return count
}

function* indicesOf(byte: number, chunk: Buffer): Generator<number> {
  for (let index = chunk.indexOf(byte); index >= 0; index = chunk.indexOf(byte, index + 1)) yield index
}
