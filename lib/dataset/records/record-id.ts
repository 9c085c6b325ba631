import { randomInt } from 'node:crypto'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { advanceIds, nextId } from '#lib/table/id-counter.ts'
import type { Store } from '#lib/table/store.ts'
import type { RecordKind, RecordWorld } from './record-kind.ts'

/** The id of a new record: the next of its counter, or one by the time of a document. */
export async function newIdOf({ store, clock }: RecordWorld, kind: RecordKind): Promise<number> {
  const { counted, entity } = kind
  if (!counted) return newDocumentId(clock().getTime(), randomInt(DRAWN_IDS))
  const id = await nextId(store, counted)
  if (id > 1 && !(await entity.find(store, id))) return id
  await advanceIds(store, counted, await highestId(store, kind))
  return nextId(store, counted)
}

const DRAWN_IDS = 100

/** Tables of earlier releases have no counter, and an import of a few rows may set it too low. */
async function highestId(store: Store, { list: { form, holds } }: RecordKind): Promise<number> {
  if (holds !== 'index') return 0
  const parents = form.names.length > 1 ? (await listOwnerIds(store)).map((owner) => [owner]) : [[]]
  const newest = await Promise.all(
    parents.map(async (parent) => {
      const { partition, prefix } = form.range(...parent)
      return store.firstPage({ index: 'GSI1', partition, prefix, newestFirst: true, pageSize: 1 })
    }),
  )
  return Math.max(0, ...newest.flat().map(({ id }) => Number(id)))
}
