import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ImportServices } from '#lib/dataset/format/import-world.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
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
}

type FileServices = ImportServices & DroppedFiles

/** What came of a file or a part of it. */
export type FileOutcome =
  | { readonly outcome: 'split'; readonly parts: number }
  | ({ readonly outcome: 'imported' } & Pick<WrittenReport, 'rows' | 'written' | 'unchanged'> & {
        readonly refused: number
        /** What would have become of a tariff that stayed as it was. */
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
  const isLarge = task.size > 2 * services.partBytes
  if (!task.part && isLarge && SPLITTABLE.has(named.name)) return split(services, task, named)
  return importNow(services, task, named)
}

async function split(
  { files, partBytes }: FileServices,
  task: FileTask,
  { extension }: NamedFile,
): Promise<FileOutcome> {
  const bytes = await files.read(task)
  let parts = 0
  for await (const part of splitRows(bytes, { isCsv: extension === '.csv', partBytes })) {
    await files.enqueue(partMessage(task, part))
    parts += 1
  }
  return { outcome: 'split', parts }
}

async function importNow(services: FileServices, task: FileTask, named: NamedFile): Promise<FileOutcome> {
  const scratch = await mkdtemp(join(tmpdir(), 'tollgate-import-'))
  try {
    const path = join(scratch, named.file)
    await download(services, task, path)
    if (changesAccess(named.name)) {
      const at = services.clock().toISOString()
      await logImport(services.store, { at, file: task.key })
    }
    const dataset = services.door.dataset(named.folder ?? task.bucket)
    const [report] = await importPath(services, path, { dataset, hidesSecrets: true })
    if (!report) throw new Error(`${named.file} was not imported`)
    if (report.rejectedFile) await services.files.write(task.bucket, rejectedKey(task), report.rejectedFile)
    const { rows, written, unchanged, refused, needsLeave, remarks = [] } = report
    const outcome = { outcome: 'imported', rows, written, unchanged, refused: refused.size } as const
    if (!needsLeave) return outcome
    const said = join(scratch, 'report.txt')
    await writeFile(said, `${remarks.join('\n')}\n`)
    await services.files.write(task.bucket, rejectedKey(task, 'report.txt'), said)
    return { ...outcome, remarks }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function download({ files }: FileServices, task: FileTask, path: string): Promise<void> {
  const { part } = task
  if (!part) return saveAs(path, await files.read(task))
  const header =
    part.headerEnd === 0 ? '' : await text(await files.read(task, { from: 0, to: part.headerEnd }))
  await saveAs(path, await files.read(task, part), header)
}

/** Rejected rows lie under their file's own key, those of its parts beside each other. */
function rejectedKey({ key, part }: FileTask, name = 'rejected.csv'): string {
  const where = part ? `.bytes-${part.from}-${part.to}` : ''
  return `rejected/${key.replace(/\.[^./]*$/, '')}${where}.${name}`
}
