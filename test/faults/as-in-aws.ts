import { setTimeout } from 'node:timers/promises'
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { TableClient } from '#lib/table/requests/client.ts'
import type { Meter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { type Around, aroundRequests, conflict } from '#test/faults/around-requests.ts'
import type { World } from '#test/world.ts'

/** As long as AWS takes for a transaction: 5 to 20 milliseconds. */
const duration = (): number => 5 + Math.random() * 15

interface TableOfAws {
  readonly count: { transactions: number }
  openStore(meter: Meter): Store
}

/**
 * The table as it is in AWS, where of two transactions under way on one item the second one is cancelled; the
 * embedded engine handles one after the other, and so hides that. Counts the transactions.
 */
export function asInAws({ client, tableName }: World['table']): TableOfAws {
  const busy = new Set<string>()
  const count = { transactions: 0 }
  const around: Around = async (command, send) => {
    if (!(command instanceof TransactWriteCommand)) return send()
    count.transactions += 1
    const items = itemsOf(command)
    if (items.some((item) => busy.has(item))) throw conflict()
    items.map((item) => busy.add(item))
    await setTimeout(duration())
    return send().finally(() => items.map((item) => busy.delete(item)))
  }
  const slow = aroundRequests(client, around)
  return { count, openStore: (meter) => createStore({ client: slow, tableName, meter }) }
}

const itemsOf = ({ input: { TransactItems = [] } }: TransactWriteCommand): string[] =>
  TransactItems.flatMap(({ Put, Update, Delete, ConditionCheck }) => {
    const { PK, SK } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}
    return [`${PK} ${SK}`]
  })

/**
 * In AWS a batch of reads may see a part of a transaction, which the embedded engine hides. This client reads
 * each item at a moment of its own.
 */
export const readingApart = (client: TableClient): TableClient =>
  aroundRequests(client, (command, send) =>
    command instanceof BatchGetItemCommand ? readApart(client, command) : send(),
  )

async function readApart(client: TableClient, { input }: BatchGetItemCommand): Promise<unknown> {
  const { RequestItems = {} } = input
  const wanted = Object.entries(RequestItems).flatMap(([table, { Keys = [], ...how }]) =>
    Keys.map((key) => ({ [table]: { ...how, Keys: [key] } })),
  )
  const read = async (one: typeof RequestItems) => {
    await setTimeout(duration())
    return client.send(new BatchGetItemCommand({ ...input, RequestItems: one }))
  }
  const answers = await Promise.all(wanted.map(read))
  const found = (table: string) => answers.flatMap(({ Responses }) => Responses?.[table] ?? [])
  return { Responses: Object.fromEntries(Object.keys(RequestItems).map((table) => [table, found(table)])) }
}
