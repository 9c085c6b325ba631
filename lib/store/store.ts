import { randomUUID } from 'node:crypto'
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Key } from '#lib/store/keys.ts'
import { ask } from '#lib/store/requests/ask.ts'
import { type Consistency, getAll } from '#lib/store/requests/batch-get.ts'
import { putBatch, removeBatch } from '#lib/store/requests/batch-write.ts'
import {
  type Assignments,
  type Change,
  conditionExpression,
  createBindings,
  toTransactItem,
  updateExpression,
} from '#lib/store/requests/changes.ts'
import type { StoreOptions } from '#lib/store/requests/client.ts'
import type { Kind, Meter } from '#lib/store/requests/meter.ts'
import { type Query, queryPages } from '#lib/store/requests/query.ts'
import { nothingWasWritten, retryingConflicts, throwConditionFailed } from '#lib/store/requests/retries.ts'
import type { Conditions } from './conditions.ts'
import type { Item } from './items.ts'

/** The only operations the entities use. Every read is consistent unless it goes through an index or asks for less. */
export interface Store {
  readonly meter: Meter
  get(key: Key): Promise<Item | undefined>
  /** In the order of the keys; one round trip for up to 100 of them. */
  getMany(keys: readonly Key[], consistency?: Consistency): Promise<(Item | undefined)[]>
  /** Page by page, lazily: who stops asking stops paying. */
  pages(query: Query): AsyncGenerator<Item[]>
  list(query: Query): Promise<Item[]>
  /**
   * Answers the item as it is afterwards. Throws ConditionFailed, also when an attempt whose answer was lost has made the
   * condition untrue: where that matters, `transact`.
   */
  update(key: Key, assignments: Assignments, when?: Conditions): Promise<Item>
  /** Hands out the next number of a counter: a number that is never used does no harm, so nobody asks what became of it. */
  count(key: Key, assignments: Assignments): Promise<Item>
  /** All of the changes or none. Conflicts with other transactions are retried; throws ConditionFailed. */
  transact(changes: readonly Change[]): Promise<void>
  /** At most 25 items, without condition and not all or none: for what nobody sees before it is complete. */
  putBatch(items: readonly Key[]): Promise<void>
  removeBatch(keys: readonly Key[]): Promise<void>
}

export function createStore(options: StoreOptions): Store {
  const getMany: Store['getMany'] = (keys, consistency = 'strong') => getAll(options, keys, consistency)
  return {
    meter: options.meter,
    getMany,
    get: async (key) => (await getMany([key]))[0],
    pages: (query) => queryPages(options, query),
    list: (query) => queryAll(options, query),
    update: (key, assignments, when = {}) =>
      retryingConflicts(options.meter, () => updateItem(options, key, { assignments, when, kind: 'write' })),
    count: (key, assignments) => updateItem(options, key, { assignments, when: {}, kind: 'count' }),
    transact: (changes) => transact(options, changes),
    putBatch: (items) => putBatch(options, items),
    removeBatch: (keys) => removeBatch(options, keys),
  }
}

async function queryAll(options: StoreOptions, query: Query): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of queryPages(options, query)) items.push(...page)
  return items
}

interface Update {
  readonly assignments: Assignments
  readonly when: Conditions
  readonly kind: Kind
}

async function updateItem(options: StoreOptions, key: Key, update: Update): Promise<Item> {
  const bindings = createBindings()
  const input = {
    TableName: options.tableName,
    Key: key,
    UpdateExpression: updateExpression(update.assignments, bindings),
    ConditionExpression: conditionExpression(update.when, bindings) || undefined,
    ...bindings.toRequest(),
    ReturnValues: 'ALL_NEW',
    ReturnConsumedCapacity: 'TOTAL',
  } as const
  const answer = await ask(options, update.kind, new UpdateCommand(input)).catch(throwConditionFailed)
  return answer.Attributes ?? {}
}

/** One token for as long as a request with it may have been carried out: what is sent again is then not done again. */
function transact(options: StoreOptions, changes: readonly Change[]): Promise<void> {
  let token = randomUUID()
  return retryingConflicts(options.meter, () =>
    transactOnce(options, changes, token).catch((error) => {
      if (nothingWasWritten(error)) token = randomUUID()
      throw error
    }),
  )
}

async function transactOnce(
  options: StoreOptions,
  changes: readonly Change[],
  ClientRequestToken: string,
): Promise<void> {
  const input = {
    TransactItems: changes.map((change) => toTransactItem(change, options.tableName)),
    ClientRequestToken,
    ReturnConsumedCapacity: 'TOTAL',
  } as const
  await ask(options, 'write', new TransactWriteCommand(input)).catch(throwConditionFailed)
}
