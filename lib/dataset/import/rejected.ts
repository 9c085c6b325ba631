import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Source } from '#lib/dataset/cells/source.ts'
import { reportLine } from '#lib/dataset/format/report-line.ts'
import { datasetFiles } from './files.ts'
import type { FileReport } from './import.ts'

/**
 * Writes the refused rows with their reasons, to be corrected and imported again; removes the file of an earlier run
 * when nothing is refused any more.
 */
export async function writeRejected(path: string, source: Source, report: FileReport): Promise<void> {
  if (report.refused.size === 0) return rm(path, { force: true })
  const columns = await columnsOf(source, report)
  await pipeline(
    Readable.from(rejectedLines(source, report, columns)),
    createWriteStream(path, { mode: 0o600 }),
  )
}

async function columnsOf(source: Source, { file, refused }: FileReport): Promise<readonly string[]> {
  const seen = new Set<string>()
  for await (const { line, cells } of source.rows()) {
    if (refused.has(line)) for (const name of Object.keys(cells)) seen.add(name)
  }
  const known = Object.keys(datasetFiles[file].columns).filter((name) => seen.delete(name))
  return [...known, ...seen]
}

async function* rejectedLines(source: Source, { refused }: FileReport, columns: readonly string[]) {
  yield reportLine(['line', 'reason', ...columns])
  for await (const { line, cells } of source.rows()) {
    const reason = refused.get(line)
    if (reason !== undefined)
      yield reportLine([String(line), reason, ...columns.map((name) => cells[name] ?? '')])
  }
}
