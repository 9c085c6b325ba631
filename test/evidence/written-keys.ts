import type { Key } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { TableServices } from '#lib/store/store.ts'
import { noteWrite } from '#test/evidence/evidence.ts'

type OpenStore = TableServices['openStore']

/** The store as it is; notes which actions of IAM the consumer needs, and on which partitions. */
export const notingWrites =
  (consumer: string, openStore: OpenStore): OpenStore =>
  (meter) => {
    const store = openStore(meter)
    const note = (action: string, { PK }: Key) => noteWrite(consumer, { action, partition: PK })
    return {
      ...store,
      update: (key, ...rest) => {
        note('UpdateItem', key)
        return store.update(key, ...rest)
      },
      count: (key, ...rest) => {
        note('UpdateItem', key)
        return store.count(key, ...rest)
      },
      transact: (changes) => {
        for (const change of changes) note(...actionOf(change))
        return store.transact(changes)
      },
      putBatch: (items) => {
        for (const item of items) note('BatchWriteItem', item)
        return store.putBatch(items)
      },
      removeBatch: (keys) => {
        for (const key of keys) note('BatchWriteItem', key)
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
