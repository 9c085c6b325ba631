import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import type { RowSource } from '#lib/dataset/cells/source.ts'
import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import type { ImportServices } from '#lib/dataset/format/import-world.ts'
import type { ImportOptions } from '#lib/dataset/format/job.ts'
import { type FileName, fileNames, isFileName } from './files.ts'
import { type FileReport, importDataset } from './import.ts'
import { readSource } from './reader.ts'
import { withoutSecrets, writeRejected } from './rejected.ts'

export interface WrittenReport extends FileReport {
  /** Where the refused rows are, when there are any. */
  readonly rejectedFile: string | undefined
}

/** Imports a folder of CSV and NDJSON files, or a single one of them. */
export async function importPath(
  services: ImportServices,
  path: string,
  options: ImportOptions = {},
): Promise<WrittenReport[]> {
  const { folder, paths } = await filesIn(path)
  const sources = Object.fromEntries(
    paths.map(({ file, path: from }) => [file, readSource(file, from)] as const),
  )
  const reports = await importDataset(
    services,
    { name: options.dataset ?? basename(folder), sources },
    options,
  )
  const { hidesSecrets = false } = options
  return Promise.all(
    reports.map((report) => withRejected(folder, report, { source: sources[report.file], hidesSecrets })),
  )
}

interface Listing {
  readonly source: RowSource | undefined
  readonly hidesSecrets: boolean
}

async function withRejected(
  folder: string,
  report: FileReport,
  { source, hidesSecrets }: Listing,
): Promise<WrittenReport> {
  const rejectedFile = join(folder, `${report.file}${REJECTED}`)
  if (source)
    await writeRejected(rejectedFile, hidesSecrets ? withoutSecrets(source, report.file) : source, report)
  return { ...report, rejectedFile: report.refused.size > 0 ? rejectedFile : undefined }
}

const REJECTED = '.rejected.csv'

interface FoundFile {
  readonly file: FileName
  readonly path: string
}

/** A single file belongs to the dataset whose folder it lies in. */
async function filesIn(path: string): Promise<{ folder: string; paths: readonly FoundFile[] }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new DatasetError(`There is no folder or file ${path}`)
  if (!found.isDirectory()) return { folder: dirname(resolve(path)), paths: [foundFile(resolve(path))] }
  const names = (await readdir(path)).filter((name) => !isAside(name)).sort()
  const paths = names.map((name) => foundFile(join(path, name)))
  refuseEmptyOrDouble(path, paths)
  return { folder: resolve(path), paths }
}

/** Whether a file that is not part of the dataset may lie in its folder. */
const isAside = (name: string): boolean =>
  name.startsWith('.') || name.endsWith(REJECTED) || /^readme(\.|$)/i.test(name)

function foundFile(path: string): FoundFile {
  const { name, ext, base } = parse(path)
  if (isFileName(name) && (ext === '.csv' || ext === '.ndjson')) return { file: name, path }
  throw new DatasetError(
    `${base} is not a dataset file: there are ${fileNames.join(', ')}, as .csv or .ndjson`,
  )
}

function refuseEmptyOrDouble(folder: string, paths: readonly FoundFile[]): void {
  if (paths.length === 0) throw new DatasetError(`${folder} holds no dataset file`)
  const twice = paths.find(
    ({ file }, position) => paths.findIndex((other) => other.file === file) !== position,
  )
  if (twice) throw new DatasetError(`${folder} holds ${twice.file} both as .csv and as .ndjson`)
}
