import type { Key } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { TableServices } from '#lib/table/store.ts'
import { note, readNotes } from '#test/evidence/notes.ts'

/** A write of a consumer to a partition of the table, as an action of IAM. */
interface NotedWrite {
  readonly consumer: string
  readonly action: string
  readonly partition: string
}

/** The writes of a consumer of records or files in all tests. */
export const writesOf = (name: string): NotedWrite[] =>
  readNotes<NotedWrite>('writes').filter(({ consumer }) => consumer === name)

type OpenStore = TableServices['openStore']

/** The store as it is; notes which actions of IAM the consumer needs, and on which partitions. */
export const notingWrites =
  (consumer: string, openStore: OpenStore): OpenStore =>
  (meter) => {
    const store = openStore(meter)
    const noteWrite = (action: string, { PK: partition }: Key) =>
      note('writes', { consumer, action, partition } satisfies NotedWrite)
    return {
      ...store,
      update: (key, ...rest) => {
        noteWrite('UpdateItem', key)
        return store.update(key, ...rest)
      },
      count: (key, ...rest) => {
        noteWrite('UpdateItem', key)
        return store.count(key, ...rest)
      },
      transact: (changes) => {
        for (const change of changes) noteWrite(...actionOf(change))
        return store.transact(changes)
      },
      putBatch: (items) => {
        for (const item of items) noteWrite('BatchWriteItem', item)
        return store.putBatch(items)
      },
      removeBatch: (keys) => {
        for (const key of keys) noteWrite('BatchWriteItem', key)
        return store.removeBatch(keys)
      },
    }
  }

function actionOf(change: Change): [action: string, key: Key] {
  if ('put' in change) return ['PutItem', change.put]
  if ('update' in change) return ['UpdateItem', change.update]
  if ('remove' in change) return ['DeleteItem', change.remove]
  return ['ConditionCheckItem', change.check]
}
