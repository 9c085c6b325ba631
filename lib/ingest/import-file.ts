import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { isFileName } from '#lib/dataset/import/files.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import type { MediationReport } from '#lib/mediation/mediate.ts'
import type { importDroppedSheet } from '#lib/sheet-import/dropped-sheet.ts'
import { logImport } from '#lib/store/installation/settings.ts'
import { admit, changesAccess, type Door, type NamedFile } from './doors.ts'
import { type FileTask, partMessage } from './file-message.ts'
import { type FileStore, saveAs } from './file-store.ts'
import { splitRows } from './split-file.ts'

/** Where files are dropped. */
export interface DroppedFiles {
  readonly door: Door
  readonly files: FileStore
  /** Larger files are split into parts of this size. */
  readonly partBytes: number
  /** How carriers' sheets come in, where they may. */
  readonly importSheet?: typeof importDroppedSheet
}

export type FileServices = Pick<ImportWorld, 'store' | 'clock'> & DroppedFiles

/** What came of a file or a part of it. */
export type FileOutcome =
  | { readonly outcome: 'kept for sheets' }
  | { readonly outcome: 'split'; readonly parts: number }
  | ({ readonly outcome: 'mediated' } & MediationReport)
  | ({ readonly outcome: 'imported' } & Pick<WrittenReport, 'rows' | 'written' | 'unchanged'> & {
        readonly refused: number
        /** What becomes of tariffs, and warnings. */
        readonly remarks?: readonly string[]
      })

/** Files whose rows have nothing to do with each other. Any other file is imported as a whole. */
const SPLITTABLE = new Set(['calls', 'local_calls', 'queue_log'])

/**
 * Imports a dropped file as `npm run import` does. A large one goes back into the queue in parts. Throws DatasetError,
 * with nothing read or written, for a file that may not come in through this door.
 */
export async function importFile(services: FileServices, task: FileTask): Promise<FileOutcome> {
  const named = admit(services.door, task.key)
  const { importSheet } = services
  if (importSheet && !isFileName(named.name)) return takeSheet({ ...services, importSheet }, task, named)
  const isLarge = task.size > 2 * services.partBytes
  if (!task.part && isLarge && SPLITTABLE.has(named.name)) {
    return split(services, task, named.extension === '.csv')
  }
  return importNow(services, task, named)
}

/**
 * A sheet comes in as the profile beside it says. A profile only lies there; what has none is taken for a dataset file, of
 * which an import says what is wrong.
 */
async function takeSheet(
  services: Required<FileServices>,
  task: FileTask,
  named: NamedFile,
): Promise<FileOutcome> {
  const { files, importSheet } = services
  if (named.extension === PROFILE) return { outcome: 'kept for sheets' }
  const beside = task.key.slice(0, task.key.length - named.extension.length) + PROFILE
  const profile = await files.find(task.bucket, beside)
  if (!profile) return importNow(services, task, named)
  const bytes = await buffer(await files.read(task))
  const sheet = { bytes, profile: await text(profile), who: task.key }
  const { rejected, obstacle, ...outcome } = await importSheet(services, sheet)
  if (rejected !== undefined) await writeText(services, task, { key: rejectedKey(task), content: rejected })
  if (obstacle !== undefined) await writeReport(services, task, outcome.remarks)
  return { outcome: 'imported', ...outcome }
}

const PROFILE = '.json'

/** The parts of a file of rows, each a message of the queue. */
export async function split(
  { files, partBytes }: FileServices,
  task: FileTask,
  isCsv: boolean,
): Promise<FileOutcome> {
  const bytes = await files.read(task)
  let parts = 0
  for await (const part of splitRows(bytes, { isCsv, partBytes })) {
    await files.enqueue(partMessage(task, part))
    parts += 1
  }
  return { outcome: 'split', parts }
}

async function importNow(services: FileServices, task: FileTask, named: NamedFile): Promise<FileOutcome> {
  return inScratch(async (scratch) => {
    const path = join(scratch, named.file)
    await download(services, task, path)
    if (changesAccess(named.name)) {
      const at = services.clock().toISOString()
      await logImport(services.store, { at, file: task.key })
    }
    const dataset = services.door.dataset(named.folder ?? task.bucket)
    const { merge } = named
    const options = { dataset, merge, who: task.key, hidesSecrets: true }
    const [report] = await importPath(services, path, options)
    if (!report) throw new Error(`${named.file} was not imported`)
    return told(services, task, report)
  })
}

/** Refused rows, and the report of a tariff that stayed as it was, lie beside; the rest is for the log. */
async function told(services: FileServices, task: FileTask, report: WrittenReport): Promise<FileOutcome> {
  const { rows, written, unchanged, refused, rejectedFile, needsPermission, remarks = [] } = report
  if (rejectedFile) await services.files.write(task.bucket, rejectedKey(task), rejectedFile)
  if (needsPermission) await writeReport(services, task, remarks)
  const said = remarks.length > 0 && { remarks }
  return { outcome: 'imported', rows, written, unchanged, refused: refused.size, ...said }
}

/** What would have become of a tariff that stayed as it was. */
const writeReport = (services: FileServices, task: FileTask, remarks: readonly string[]): Promise<void> =>
  writeText(services, task, { key: rejectedKey(task, 'report.txt'), content: `${remarks.join('\n')}\n` })

interface WrittenText {
  readonly key: string
  readonly content: string
}

const writeText = (
  { files }: FileServices,
  { bucket }: FileTask,
  { key, content }: WrittenText,
): Promise<void> =>
  inScratch(async (scratch) => {
    const path = join(scratch, 'text')
    await writeFile(path, content)
    await files.write(bucket, key, path)
  })

/** In a folder that is gone afterwards. */
async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-import-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function download({ files }: FileServices, task: FileTask, path: string): Promise<void> {
  const { part } = task
  await saveAs(path, await files.read(task, part), await headerOf(files, task))
}

/** What a part of a file needs before it. */
export async function headerOf(files: FileStore, task: FileTask): Promise<string> {
  const end = task.part?.headerEnd ?? 0
  return end === 0 ? '' : text(await files.read(task, { from: 0, to: end }))
}

/** Rejected rows lie under their file's own key, those of its parts beside each other. */
function rejectedKey({ key, part }: FileTask, name = 'rejected.csv'): string {
  const where = part ? `.bytes-${part.from}-${part.to}` : ''
  return `rejected/${key.replace(/\.[^./]*$/, '')}${where}.${name}`
}
