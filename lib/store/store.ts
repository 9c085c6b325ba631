import { randomUUID } from 'node:crypto'
import { getAll } from './batch-get.ts'
import { putBatch, removeBatch } from './batch-write.ts'
import { type Change, toTransactItem } from './changes.ts'
import type { Client } from './client.ts'
import type { Conditions } from './conditions.ts'
import { type Assignments, conditionExpression, createBindings, updateExpression } from './expressions.ts'
import { type Attributes, fromAttributes, type Item, toAttributes } from './items.ts'
import type { Key } from './keys.ts'
import { type Meter, metered } from './meter.ts'
import { type Query, toQueryInput } from './query.ts'
import { nothingWasWritten, retryingConflicts, throwConditionFailed } from './transaction-errors.ts'

/** The only operations the entities use. Every read is consistent unless it goes through an index. */
export interface Store {
  get(key: Key): Promise<Item | undefined>
  /** In the order of the keys; one round trip for up to 100 of them. */
  getMany(keys: readonly Key[]): Promise<(Item | undefined)[]>
  /** Page by page, lazily: who stops asking stops paying. */
  pages(query: Query): AsyncGenerator<Item[]>
  list(query: Query): Promise<Item[]>
  /**
   * Answers the item as it is afterwards. Throws ConditionFailed, also when an attempt whose answer was lost has made the
   * condition untrue: where that matters, `transact`.
   */
  update(key: Key, assignments: Assignments, when?: Conditions): Promise<Item>
  /** All of the changes or none. Conflicts with other transactions are retried; throws ConditionFailed. */
  transact(changes: readonly Change[]): Promise<void>
  /** At most 25 items, without condition and not all or none: for what nobody sees before it is complete. */
  putBatch(items: readonly Key[]): Promise<void>
  removeBatch(keys: readonly Key[]): Promise<void>
}

export interface StoreOptions {
  readonly client: Pick<Client, 'send'>
  readonly tableName: string
  readonly meter: Meter
}

export function createStore(options: StoreOptions): Store {
  const getMany = (keys: readonly Key[]) => getAll(options, keys)
  return {
    getMany,
    get: async (key) => (await getMany([key]))[0],
    pages: (query) => queryPages(options, query),
    list: (query) => queryAll(options, query),
    update: (key, assignments, when = {}) =>
      retryingConflicts(() => updateItem(options, key, { assignments, when })),
    transact: (changes) => transact(options, changes),
    putBatch: (items) => putBatch(options, items),
    removeBatch: (keys) => removeBatch(options, keys),
  }
}

async function* queryPages({ client, tableName, meter }: StoreOptions, query: Query): AsyncGenerator<Item[]> {
  let start: Attributes | undefined
  do {
    const input = toQueryInput(query, tableName, start)
    const page = await metered(meter, 'read', () => client.send('Query', input))
    yield (page.Items ?? []).map(fromAttributes)
    start = page.LastEvaluatedKey
  } while (start)
}

async function queryAll(options: StoreOptions, query: Query): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of queryPages(options, query)) items.push(...page)
  return items
}

interface Update {
  readonly assignments: Assignments
  readonly when: Conditions
}

async function updateItem(
  { client, tableName, meter }: StoreOptions,
  key: Key,
  update: Update,
): Promise<Item> {
  const bindings = createBindings()
  const input = {
    TableName: tableName,
    Key: toAttributes(key),
    UpdateExpression: updateExpression(update.assignments, bindings),
    ConditionExpression: conditionExpression(update.when, bindings) || undefined,
    ...bindings.toRequest(),
    ReturnValues: 'ALL_NEW',
    ReturnConsumedCapacity: 'TOTAL',
  } as const
  const answer = await metered(meter, 'write', () => client.send('UpdateItem', input)).catch(
    throwConditionFailed,
  )
  return fromAttributes(answer.Attributes ?? {})
}

/** One token for as long as a request with it may have been carried out: what is sent again is then not done again. */
function transact(options: StoreOptions, changes: readonly Change[]): Promise<void> {
  let token = randomUUID()
  return retryingConflicts(() =>
    transactOnce(options, changes, token).catch((error) => {
      if (nothingWasWritten(error)) token = randomUUID()
      throw error
    }),
  )
}

async function transactOnce(
  { client, tableName, meter }: StoreOptions,
  changes: readonly Change[],
  ClientRequestToken: string,
): Promise<void> {
  const input = {
    TransactItems: changes.map((change) => toTransactItem(change, tableName)),
    ClientRequestToken,
    ReturnConsumedCapacity: 'TOTAL',
  } as const
  await metered(meter, 'write', () => client.send('TransactWriteItems', input)).catch(throwConditionFailed)
}
