import { dismissFailedImport } from '#lib/acts/imports/dismiss-failed-import.ts'
import { recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { listFailedImports } from '#lib/settings/failed-import.ts'
import { type Acts, carries, consumes } from '../actors.ts'
import type { Invariant, SeenTable } from '../seen.ts'

// A queue's log comes as files in the bucket: small ones at once, others in parts, some with a refused row.

const KEYS = ['a', 'b', 'c', 'd'].map((name) => `records/${name}/queue_log.csv`)

/** The bytes of two rows. */
const PART_BYTES = 40

/** A new version of a file, now and then while the former one is still being imported. */
export const putsFile: Acts = ({ draws, installation: { files }, book }) => {
  const key = draws.one(KEYS)
  const isAlone = () => book.importing === 0 && !files.queue.messages.some(({ body }) => body.includes(key))
  if (!isAlone() && !draws.onceIn(8)) return undefined
  const rows = Array.from({ length: 1 + draws.below(7) }, () => ({
    id: `${1000 + book.next++}`,
    isRefused: draws.onceIn(6),
  }))
  const lines = rows.map(({ id, isRefused }) => `${id},${isRefused ? 'never' : '2026-05-29 10:00:00'}\n`)
  return {
    who: 'pbx',
    what: `puts ${rows.map(({ id, isRefused }) => (isRefused ? `${id}, which is refused` : id)).join(', ')} into ${key}`,
    work: () =>
      files.put(key, `id,time\n${lines.join('')}`, () => book.files.set(key, { rows, isAlone: isAlone() })),
  }
}

export const importsFiles: Acts = (scene) => {
  const { installation, book } = scene
  const { services, files } = installation
  const handler = fileConsumer('ingest_record_files', {
    ...services,
    ...{ files, partBytes: PART_BYTES, prefix: recordsPrefix },
  })
  const deed = consumes('ingest_record_files', files.queue, scene, 3, (event) => handler(event))
  if (!deed) return undefined
  book.importing += 1
  return {
    ...deed,
    ended: (ending) => {
      book.importing -= 1
      deed.ended?.(ending)
    },
  }
}

/** An operator looks at the failed imports, and takes one off the list. */
export const dismissesFailed: Acts = (scene) => ({
  who: 'admin',
  what: 'dismisses a failed import',
  work: async () => {
    const store = scene.installation.store()
    const failed = await listFailedImports(store)
    if (failed.length === 0) return
    const { file } = scene.draws.one(failed)
    scene.book.dismissed.add(file)
    await carries(scene, dismissFailedImport, 'admin', { id: file }, store)
  },
})

/** Each row of a file is stored, or refused: then the file is listed until an operator dismisses it. */
async function filesAreImported({ scene: { installation, book }, items }: SeenTable): Promise<string[]> {
  const stored = new Set(items.filter(({ SK }) => SK === 'QUEUELOG').map(({ PK }) => String(PK)))
  const listed = (await listFailedImports(installation.eye)).map(({ file }) => file)
  const rejected = [...installation.files.objects].filter(([key]) => key.startsWith('rejected/')).join('\n')
  return [...book.files].flatMap(([key, { rows, isAlone }]) => {
    const isRefused = rows.some((row) => row.isRefused)
    const mayDiffer = !isAlone || book.dismissed.has(key)
    return [
      ...rows
        .filter(
          (row) => !(row.isRefused ? rejected.includes(`${row.id},`) : stored.has(`QUEUELOG#${row.id}`)),
        )
        .map((row) => `the row ${row.id} of ${key} is neither stored nor rejected`),
      ...(mayDiffer || listed.includes(key) === isRefused
        ? []
        : [`${key} has ${isRefused ? 'a' : 'no'} refused row, and failed imports are ${listed}`]),
    ]
  })
}

export const FILE_INVARIANTS: Readonly<Record<string, Invariant>> = { files: filesAreImported }
