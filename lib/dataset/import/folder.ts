import type { Stats } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isRefusal } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { openListFile } from '#lib/csv/list-file.ts'
import { refusedHeader, refusedLine } from '#lib/csv/writer.ts'
import type { DatasetFile, ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import type { RowSource, SourceRow } from '#lib/table/cells/row-source.ts'
import { secretsAmong } from '#lib/table/columns.ts'
import { datasetFiles, fileNames, isFileName } from './files.ts'
import { type FileReport, importDataset, type OpenFile } from './import.ts'
import { readSource } from './reader.ts'

export interface WrittenReport extends FileReport {
  /** The file with the refused rows; `undefined` without refusals and for a dry run. */
  readonly rejectedFile: string | undefined
}

/** Imports a folder of CSV and NDJSON files, or a single one of them. */
export async function importPath(
  services: Pick<ImportContext, 'store' | 'clock'>,
  path: string,
  options: ImportOptions = {},
): Promise<WrittenReport[]> {
  const { folder, files } = await openDataset(path)
  const { dataset = basename(folder), without = [] } = options
  const wanted = files.filter(({ file }) => !without.includes(file))
  const reports = await importDataset(services, dataset, wanted, options)
  return Promise.all(reports.map((report) => withRejected(folder, report, options)))
}

/** Opens a folder of CSV and NDJSON files, or one file. Throws refused_file for any other file. */
export async function openDataset(path: string): Promise<{ folder: string; files: readonly OpenFile[] }> {
  const { folder, files } = await filesIn(path)
  await refuseBadHeaders(files.map(({ source }) => source))
  return { folder, files }
}

/** Throws refused_file with the problems of all headers: the first one hides no other. */
async function refuseBadHeaders(sources: readonly RowSource[]): Promise<void> {
  const problems = await Promise.all(sources.map(headerProblem))
  const known = problems.filter((problem) => problem !== undefined)
  if (known.length > 0) throw fileRefused(known.join('\n'))
}

async function headerProblem(source: RowSource): Promise<string | undefined> {
  try {
    for await (const _row of source.rows()) break
    return undefined
  } catch (error) {
    if (isRefusal(error, 'refused_file')) return error.message
    throw error
  }
}

async function withRejected(
  folder: string,
  report: FileReport,
  { hidesSecrets = false, dryRun = false }: ImportOptions,
): Promise<WrittenReport> {
  if (dryRun) return { ...report, rejectedFile: undefined }
  const rejectedFile = join(folder, `${report.source.file}${REJECTED}`)
  await writeRejected(rejectedFile, hidesSecrets ? { ...report, source: withoutSecrets(report) } : report)
  return { ...report, rejectedFile: report.refused.size > 0 ? rejectedFile : undefined }
}

const REJECTED = '.rejected.csv'

/** The folder or file at a path. Throws refused_file if there is none. */
export const findPath = (path: string): Promise<Stats> =>
  stat(path).catch(() => {
    throw fileRefused(`There is no folder or file ${path}`)
  })

/** A single file belongs to the dataset of its folder. */
export async function filesIn(path: string): Promise<{ folder: string; files: readonly OpenFile[] }> {
  const found = await findPath(path)
  if (!found.isDirectory()) return { folder: dirname(resolve(path)), files: foundFiles([resolve(path)]) }
  const names = (await readdir(path)).filter((name) => !isIgnored(name)).sort()
  if (
    names.length === 0 ||
    (names.length > SHOWN_NAMES && !names.some((name) => foundFile(join(path, name))))
  )
    throw fileRefused(`${path} holds no dataset file`)
  const files = foundFiles(names.map((name) => join(path, name)))
  refuseDuplicate(path, files)
  return { folder: resolve(path), files }
}

/** Files that may be in the folder without being part of the dataset. */
const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.endsWith(REJECTED) || name === BOOKS || /^readme(\.|$)/i.test(name)

/** The folder of items that move from table to table unchanged: an import adds it after the rows. */
export const BOOKS = 'books'

const SHOWN_NAMES = 5

/** Throws refused_file with the names of other files. */
function foundFiles(paths: readonly string[]): OpenFile[] {
  const found = paths.map(foundFile)
  const strange = paths.filter((_path, index) => found[index] === undefined)
  const shown = strange.slice(0, SHOWN_NAMES).map((path) => basename(path))
  const more = strange.length - shown.length
  if (more > 0) shown.push(`${more} more`)
  if (strange.length > 0) throw fileRefused(notDatasetFiles(shown))
  return found.filter((one) => one !== undefined)
}

/** A file of independent rows may come in parts, such as calls-2026-01.ndjson. */
function foundFile(path: string): OpenFile | undefined {
  const { name, ext } = parse(path)
  const [, file = '', part] = /^(\w+)(-.+)?$/.exec(name) ?? []
  const isRead = ext === '.csv' || ext === '.ndjson'
  return isRead && isFileName(file) && (part === undefined || 'mayHaveParts' in datasetFiles[file])
    ? { file, source: readSource(file, path) }
    : undefined
}

const notDatasetFiles = (names: readonly string[]): string =>
  `${names.join(', ')} ${names.length > 1 ? 'are not dataset files' : 'is not a dataset file'}: there are ${fileNames.join(', ')}, as .csv or .ndjson`

function refuseDuplicate(folder: string, files: readonly OpenFile[]): void {
  const names = files.map(({ source }) => source.file)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw fileRefused(`${folder} holds ${twice} both as .csv and as .ndjson`)
}

/**
 * Writes the refused rows with their reasons, for correction and another import. Removes the file of an
 * earlier run if no row is refused.
 */
async function writeRejected(path: string, report: FileReport): Promise<void> {
  if (report.refused.size === 0) return rm(path, { force: true })
  const columns = await columnsOf(report)
  const file = await openListFile(path)
  await pipeline(Readable.from(rejectedLines(report, columns)), file.createWriteStream())
}

async function columnsOf({ source, file, refused }: FileReport): Promise<readonly string[]> {
  const seen = new Set<string>()
  for await (const { line, cells } of source.rows()) {
    if (refused.has(line)) for (const name of Object.keys(cells)) seen.add(name)
  }
  const known = Object.keys(datasetFiles[file].columns).filter((name) => seen.delete(name))
  return [...known, ...seen]
}

async function* rejectedLines({ source, refused }: FileReport, columns: readonly string[]) {
  yield refusedHeader(columns)
  for await (const { line, cells } of source.rows()) {
    const reason = refused.get(line)
    if (reason !== undefined) yield refusedLine({ line, reason, cells }, columns)
  }
}

/**
 * The rows of a file without secrets: only known columns that are not secret. A row whose cells may be in the
 * wrong columns loses all of them.
 */
function withoutSecrets({ source, file }: OpenFile): RowSource {
  const { columns }: DatasetFile = datasetFiles[file]
  const secrets = secretsAmong(columns)
  if (secrets.length === 0) return source
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
