import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { refusedHeader, refusedLine } from '#lib/csv/writer.ts'
import type { RowSource, SourceRow } from '#lib/dataset/cells/source.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName } from './files.ts'
import type { FileReport } from './import.ts'

/**
 * Writes the refused rows with their reasons, to be corrected and imported again. Removes the file of an earlier run when
 * no row is refused.
 */
export async function writeRejected(path: string, source: RowSource, report: FileReport): Promise<void> {
  if (report.refused.size === 0) return rm(path, { force: true })
  const columns = await columnsOf(source, report)
  await pipeline(
    Readable.from(rejectedLines(source, report, columns)),
    createWriteStream(path, { mode: 0o600 }),
  )
}

async function columnsOf(source: RowSource, { file, refused }: FileReport): Promise<readonly string[]> {
  const seen = new Set<string>()
  for await (const { line, cells } of source.rows()) {
    if (refused.has(line)) for (const name of Object.keys(cells)) seen.add(name)
  }
  const known = Object.keys(datasetFiles[file].columns).filter((name) => seen.delete(name))
  return [...known, ...seen]
}

async function* rejectedLines(source: RowSource, { refused }: FileReport, columns: readonly string[]) {
  yield refusedHeader(columns)
  for await (const { line, cells } of source.rows()) {
    const reason = refused.get(line)
    if (reason !== undefined) yield refusedLine({ line, reason, cells }, columns)
  }
}

/**
 * The rows of a file without its secrets. Only the known columns without secrets are left. A row whose cells may be in the
 * wrong columns is left without cells.
 */
export function withoutSecrets(source: RowSource, file: FileName): RowSource {
  const { columns, secrets }: DatasetFile = datasetFiles[file]
  if (!secrets) return source
  const open = new Set(Object.keys(columns).filter((name) => !secrets.includes(name)))
  return {
    file: source.file,
    async *rows() {
      for await (const row of source.rows()) yield onlyWith(open, row)
    },
  }
}

const onlyWith = (open: ReadonlySet<string>, { line, cells, problem }: SourceRow): SourceRow =>
  problem === undefined
    ? { line, cells: Object.fromEntries(Object.entries(cells).filter(([name]) => open.has(name))) }
    : { line, cells: {}, problem }
