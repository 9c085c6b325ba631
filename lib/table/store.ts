import { randomUUID } from 'node:crypto'
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { CallArchive } from './call-archive.ts'
import type { Item } from './items.ts'
import type { Key } from './keys.ts'
import { writeLogLine } from './log-line.ts'
import { functionConfig } from './requests/aws-config.ts'
import { type Consistency, getAll, putBatch, removeBatch } from './requests/batches.ts'
import {
  type Assignments,
  type Change,
  type Conditions,
  conditionExpression,
  createBindings,
  toTransactItem,
  updateExpression,
} from './requests/changes.ts'
import { ask, createClient, type StoreOptions } from './requests/client.ts'
import type { CapacityKind, Meter } from './requests/meter.ts'
import { countItems, type ItemCounts, type Query, queryPages } from './requests/query.ts'
import { nothingWasWritten, retryingConflicts, throwConditionFailed } from './requests/retries.ts'
import { tableLocation } from './table.ts'

/** The operations on the table. A read is consistent unless it uses an index or asks otherwise. */
export interface Store {
  readonly meter: Meter
  /** The archive of calls, for processes that change calls. */
  readonly archive: CallArchive | undefined
  get(key: Key): Promise<Item | undefined>
  /** In the order of the keys; one round trip for up to 100 of them. */
  getMany(keys: readonly Key[], consistency?: Consistency): Promise<(Item | undefined)[]>
  /** Page by page. A page is read when it is asked for. */
  pages(query: Query): AsyncGenerator<Item[]>
  list(query: Query): Promise<Item[]>
  /** The first items of a list, at most `pageSize` of them. One request. */
  firstPage(query: Query & { readonly pageSize: number }): Promise<readonly Item[]>
  /** The numbers of items of a list and of those that have an attribute. It costs what the list costs. */
  countListed(query: Query, attribute: string): Promise<ItemCounts>
  /**
   * Returns the updated item. Throws ConditionFailed, also when an attempt whose answer was lost has made the
   * condition untrue. Use `transact` if that matters.
   */
  update(key: Key, assignments: Assignments, when?: Conditions): Promise<Item>
  /** Returns the updated counter. If the answer is lost, a number stays unused, which does no harm. */
  count(key: Key, assignments: Assignments): Promise<Item>
  /** All of the changes or none. Conflicts with other transactions are retried; throws ConditionFailed. */
  transact(changes: readonly Change[]): Promise<void>
  /** 25 at a time, unconditional and not atomic: for items that no reader sees before all are written. */
  putBatch(items: readonly Key[]): Promise<void>
  removeBatch(keys: readonly Key[]): Promise<void>
}

/** The side effects that every function has. */
export interface TableServices {
  /** Opens the table. The meter counts the cost of its requests. */
  readonly openStore: (meter: Meter) => Store
  readonly clock: () => Date
  readonly log: (line: Readonly<Record<string, unknown>>) => void
}

/** A Lambda's table, the real clock and standard output; and the archive, if it changes calls. */
export function lambdaTableServices(archive?: CallArchive): TableServices {
  const location = tableLocation(process.env)
  const client = createClient(location, functionConfig(process.env))
  return {
    openStore: (meter) => createStore({ client, tableName: location.tableName, meter, archive }),
    clock: () => new Date(),
    log: writeLogLine,
  }
}

export function createStore(options: StoreOptions): Store {
  const getMany: Store['getMany'] = (keys, consistency = 'strong') => getAll(options, keys, consistency)
  return {
    meter: options.meter,
    archive: options.archive,
    getMany,
    get: async (key) => (await getMany([key]))[0],
    pages: (query) => queryPages(options, query),
    list: async (query) => (await Array.fromAsync(queryPages(options, query))).flat(),
    firstPage: async (query) => (await queryPages(options, query).next()).value ?? [],
    countListed: (query, attribute) => countItems(options, query, attribute),
    update: (key, assignments, when = {}) =>
      retryingConflicts(options.meter, () =>
        updateItem(options, 'write', { update: key, to: assignments, when }),
      ),
    count: (key, assignments) => updateItem(options, 'count', { update: key, to: assignments }),
    transact: (changes) => transact(options, changes),
    putBatch: (items) => putBatch(options, items),
    removeBatch: (keys) => removeBatch(options, keys),
  }
}

async function updateItem(
  options: StoreOptions,
  kind: CapacityKind,
  { update, to, when = {} }: Extract<Change, { update: Key }>,
): Promise<Item> {
  const bindings = createBindings()
  const input = {
    TableName: options.tableName,
    Key: update,
    UpdateExpression: updateExpression(to, bindings),
    ConditionExpression: conditionExpression(when, bindings) || undefined,
    ...bindings.toRequest(),
    ReturnValues: 'ALL_NEW',
    ReturnConsumedCapacity: 'TOTAL',
  } as const
  const answer = await ask(options, kind, new UpdateCommand(input)).catch(throwConditionFailed)
  return answer.Attributes ?? {}
}

/**
 * Repeats a transaction with the same token as long as an attempt may have been carried out: DynamoDB then
 * does it once. A new token is needed after an attempt that was certainly not carried out.
 */
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
