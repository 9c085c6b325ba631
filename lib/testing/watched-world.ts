import { QueryCommand, type QueryInput } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyResult } from 'aws-lambda'
import type { Method } from '#lib/api/method.ts'
import type { DatasetRows } from '#lib/dataset/import/import.ts'
import { serve } from '#lib/stack/stack.ts'
import { type Key, keyIn } from '#lib/store/keys.ts'
import { createStore } from '#lib/store/store.ts'
import { aContext, anEvent, type Request } from './event.ts'
import { aroundRequests } from './faults.ts'
import { aWorld, type World } from './world.ts'

/** A world whose calls are watched, and undone. */
export interface WatchedWorld extends World {
  /** What calls have written since they were last undone. */
  readonly written: ReadonlyMap<string, Key>
  /** Keys in calls since then that DynamoDB would not take, though the embedded engine does. */
  readonly impossible: readonly Key[]
  /** All but failed logins: a password is not checked a hundred times then, which takes its time. */
  undo(): Promise<void>
}

/** In bytes, of DynamoDB. */
const LONGEST_KEY = { PK: 2048, SK: 1024 }

const READS = [BatchGetCommand, QueryCommand]

export async function aWatchedWorld(rows: DatasetRows): Promise<WatchedWorld> {
  const world = await aWorld(rows)
  const { client, tableName } = world.table
  const written = new Map<string, Key>()
  const impossible: Key[] = []
  const watched = aroundRequests(client, (command, send) => {
    const keys = keysIn('input' in command && command.input)
    impossible.push(...keys.filter(isImpossible))
    if (!READS.some((kind) => command instanceof kind)) for (const key of keys) written.set(nameOf(key), key)
    return send()
  })
  const services = {
    ...world.services,
    openStore: (meter: World['meter']) => createStore({ client: watched, tableName, meter }),
  }
  let before: ReadonlyMap<string, Key> | undefined
  return {
    ...world,
    written,
    impossible,
    send: async (method: Method, request: Request): Promise<APIGatewayProxyResult> => {
      before ??= new Map((await world.dump()).map((item) => [nameOf(item), item]))
      return serve(method, services)(anEvent(request), aContext())
    },
    undo: async () => {
      const keys = [...written.values()].filter(({ PK }) => !PK.startsWith('LOGINFAIL#'))
      const items = keys.flatMap((key) => before?.get(nameOf(key)) ?? [])
      await inBatches(items, world.store.putBatch)
      await inBatches(
        keys.filter((key) => !before?.has(nameOf(key))),
        world.store.removeBatch,
      )
      written.clear()
      impossible.length = 0
    },
  }
}

const nameOf = ({ PK, SK }: Key): string => `${PK} ${SK}`

const MOST_AT_ONCE = 25

async function inBatches(keys: readonly Key[], work: (some: readonly Key[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < keys.length; from += MOST_AT_ONCE) {
    await work(keys.slice(from, from + MOST_AT_ONCE))
  }
}

const isImpossible = ({ PK, SK }: Key): boolean =>
  Buffer.byteLength(PK) > LONGEST_KEY.PK || Buffer.byteLength(SK) > LONGEST_KEY.SK

/** The keys in a command's input, wherever they stand; what is only checked is not written. */
function keysIn(value: unknown): Key[] {
  if (typeof value !== 'object' || value === null) return []
  if (isKey(value)) return [keyIn(value)]
  if (isQuery(value)) return [askedFor(value)]
  return Object.entries(value).flatMap(([name, part]) => (name === 'ConditionCheck' ? [] : keysIn(part)))
}

const isKey = (value: object): value is Key => 'PK' in value && 'SK' in value

const isQuery = (value: object): value is QueryInput => 'KeyConditionExpression' in value

/** A query's partition, and the longer of the ends of its stretch. */
function askedFor({ ExpressionAttributeValues: values = {} }: QueryInput): Key {
  const { ':pk': partition, ...ends } = values
  const texts = Object.values(ends).map(({ S = '' }) => S)
  return { PK: partition?.S ?? '', SK: texts.sort((one, other) => other.length - one.length)[0] ?? '' }
}
