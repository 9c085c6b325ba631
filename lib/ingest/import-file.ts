import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ImportServices } from '#lib/dataset/format/import-world.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { type FileTask, partMessage } from './file-message.ts'
import { type FileStore, saveAs } from './file-store.ts'
import { splitRows } from './split-file.ts'

/** Where files are dropped. */
export interface DroppedFiles {
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
      })

/** Files whose rows have nothing to do with each other. Any other file is imported as a whole. */
const SPLITTABLE = new Set(['calls', 'local_calls', 'queue_log'])

/** Imports a dropped file as `npm run import` does. A large one goes back into the queue in parts. */
export function importFile(services: FileServices, task: FileTask): Promise<FileOutcome> {
  const { name } = namesOf(task)
  const isLarge = task.size > 2 * services.partBytes
  return !task.part && isLarge && SPLITTABLE.has(name) ? split(services, task) : importNow(services, task)
}

async function split({ files, partBytes }: FileServices, task: FileTask): Promise<FileOutcome> {
  const bytes = await files.read(task)
  let parts = 0
  for await (const part of splitRows(bytes, { isCsv: namesOf(task).extension === '.csv', partBytes })) {
    await files.enqueue(partMessage(task, part))
    parts += 1
  }
  return { outcome: 'split', parts }
}

async function importNow(services: FileServices, task: FileTask): Promise<FileOutcome> {
  const scratch = await mkdtemp(join(tmpdir(), 'tollgate-import-'))
  try {
    const { dataset, file } = namesOf(task)
    const folder = join(scratch, dataset)
    await mkdir(folder)
    await download(services, task, join(folder, file))
    const [report] = await importPath(services, join(folder, file))
    if (!report) throw new Error(`${file} was not imported`)
    if (report.rejectedFile) await services.files.write(task.bucket, rejectedKey(task), report.rejectedFile)
    const { rows, written, unchanged, refused } = report
    return { outcome: 'imported', rows, written, unchanged, refused: refused.size }
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

const INCOMING = /^incoming\//

/** `incoming/<dataset>/<file>`: by the dataset's name the table remembers what its relative dates are counted from. */
function namesOf({ bucket, key }: FileTask) {
  const folder = basename(dirname(key.replace(INCOMING, '')))
  const file = basename(key)
  return {
    dataset: folder === '.' ? bucket : folder,
    file,
    extension: extname(file),
    name: basename(file, extname(file)),
  }
}

/** The rejected rows of the parts of one file lie beside each other. */
function rejectedKey({ key, part }: FileTask): string {
  const where = part ? `.bytes-${part.from}-${part.to}` : ''
  return `rejected/${key.replace(INCOMING, '').replace(/\.[^./]*$/, '')}${where}.rejected.csv`
}
