import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { inject } from 'vitest'
import { slices } from '#lib/domain/collections.ts'
import type { FileStore } from '#lib/ingest/file-store.ts'
import type { Call } from '#lib/store/calls/call.ts'
import { type SuspendedCdr, suspendedText } from '#lib/store/calls/suspense.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createStore } from '#lib/store/store.ts'
import { callsIn, type DumpedItem } from './dump.ts'
import { Crash } from './faults.ts'
import { faultyEndpoint, type Mishap, type TableRequest } from './faulty-endpoint.ts'
import type { MediatedWorld } from './mediated-world.ts'
import { type MishapName, mishaps } from './mishaps.ts'
import { damageIn } from './soundness.ts'
import type { World } from './world.ts'

/** A process may also end: then nothing that follows is sent. */
export type Accident = MishapName | 'killed before' | 'killed after'

export const ACCIDENTS = [
  'throttled',
  'killed after',
  'dropped before it arrived',
  'answer lost',
  'killed before',
  'answer cut short',
  'conflict',
  'condition failed',
  'left undone',
  'unavailable, in HTML',
] as const satisfies readonly Accident[]

/** A way of CDRs, and what it works with. */
export interface MediationPath {
  readonly name: string
  /** An installation as the run finds it. */
  readonly begin: () => Promise<MediatedWorld>
  /** Resolves to whether all was done; a run that reports failure, or throws, is repeated by whoever started it. */
  readonly run: (place: Workplace) => Promise<boolean>
}

/** A world whose requests may fail. */
export interface Workplace {
  readonly world: MediatedWorld
  /** What outlives the run, such as a queue: made for the first run, and the same for those that repeat it. */
  readonly kept: <T>(name: string, make: () => T) => T
  /** Objects, and a queue behind them; requests about them may fail as well. */
  readonly files: (objects: Readonly<Record<string, string>>, queue: object[]) => FileStore
}

/** What becomes of a request, by its number in the run; of S3 and SQS there is no request to look at. */
type Plan = (at: number, request: TableRequest | undefined) => Mishap | undefined

export interface Bench {
  readonly world: World
  /** Runs the path once from what the table holds; without a plan nothing fails. */
  perform(
    plan?: Plan,
  ): Promise<{ readonly isDone: boolean; readonly requests: number; readonly failure: string }>
  restore(): Promise<void>
}

/** Opens the path's world behind an endpoint that follows the plan. Each fault is one that AWS's client has given up on. */
export async function aBench({ begin, run }: MediationPath): Promise<Bench> {
  const world = await begin()
  const rawBeginning = await rawItems(world)
  const { tableName } = world.table
  let [plan, requests]: [Plan | undefined, number] = [undefined, 0]
  const next = (request?: TableRequest) => {
    requests += 1
    return plan?.(requests - 1, request)
  }
  const { origin } = await faultyEndpoint(inject('endpoint'), next)
  const keeping = new Map<string, unknown>()
  return {
    world,
    perform: async (planned) => {
      ;[plan, requests] = [planned, 0]
      const client = createClient({ tableName, endpoint: origin }, planned && { maxAttempts: 1 })
      const openStore: World['services']['openStore'] = (meter) => createStore({ client, tableName, meter })
      const faulty = { ...world, store: openStore(world.meter), services: { ...world.services, openStore } }
      const kept: Workplace['kept'] = (name, make) => {
        if (!keeping.has(name)) keeping.set(name, make())
        return keeping.get(name) as ReturnType<typeof make>
      }
      const files: Workplace['files'] = (objects, queue) => inMemory(objects, queue, next)
      let failure = ''
      const isDone = await run({ world: faulty, kept, files }).catch((error: unknown) => {
        failure = String(error)
        return false
      })
      client.destroy()
      return { isDone, requests, failure }
    },
    restore: async () => {
      keeping.clear()
      await restoreItems(world, rawBeginning)
    },
  }
}

type RawItem = Readonly<Record<string, AttributeValue>>

/** As the table has them: amounts that a dump holds as texts are numbers here. */
async function rawItems({ table }: World): Promise<Map<string, RawItem>> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.tableName }))
  return new Map(Items.map((item) => [`${item['PK']?.S} ${item['SK']?.S}`, item]))
}

async function restoreItems(world: World, to: ReadonlyMap<string, RawItem>): Promise<void> {
  const { client, tableName } = world.table
  const from = await rawItems(world)
  const added = [...from].filter(([name]) => !to.has(name))
  const changed = [...to].filter(([name, item]) => !isDeepStrictEqual(item, from.get(name)))
  const writes = [
    ...added.map(([, { PK = NO_KEY, SK = NO_KEY }]) => ({ DeleteRequest: { Key: { PK, SK } } })),
    ...changed.map(([, Item]) => ({ PutRequest: { Item } })),
  ]
  for (const batch of slices(writes, ITEMS_IN_ONE_WRITE)) {
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } }))
  }
}

const NO_KEY: AttributeValue = { S: '' }

function inMemory(
  objects: Readonly<Record<string, string>>,
  queue: object[],
  next: () => Mishap | undefined,
): FileStore {
  /** Of what may happen to it, a request is done or not. */
  const attempt = async <T>(act: () => T): Promise<T> => {
    const mishap = next()
    if (mishap !== undefined && !isDoneDespite(mishap)) throw new Crash('It was not done')
    const answer = act()
    if (mishap !== undefined) throw new Crash('It was done')
    return answer
  }
  const bytesOf = (key: string) => Buffer.from(objects[key] ?? '')
  return {
    read: ({ key }, range) =>
      attempt(() => Readable.from([range ? bytesOf(key).subarray(range.from, range.to) : bytesOf(key)])),
    find: (_bucket, key) => attempt(() => (key in objects ? Readable.from([bytesOf(key)]) : undefined)),
    copy: () => attempt(() => undefined),
    write: () => attempt(() => undefined),
    enqueue: (message) => attempt(() => void queue.push(message)),
  }
}

const isDoneDespite = (mishap: Mishap): boolean => mishap === 'answer lost' || mishap === 'answer cut short'

/** The accident at one request, or from that one on; `undefined` where it cannot happen to such a request. */
export const planOf =
  ({
    at,
    accident,
    lasts,
  }: {
    readonly at: number
    readonly accident: Accident
    readonly lasts: boolean
  }): Plan =>
  (place, request) => {
    if (place < at || (place > at && !lasts)) return undefined
    return happensTo(place > at ? (NEXT.get(accident) ?? accident) : accident, request)
  }

function happensTo(accident: Accident, request: TableRequest | undefined): Mishap | undefined {
  if (accident === 'killed after') return 'answer lost'
  if (accident === 'killed before' || !request) return 'broken off'
  return mishaps[accident](request)
}

/** A process that has ended sends nothing more. */
const NEXT = new Map<Accident, Accident>([['killed after', 'killed before']])

/** What a world knows of CDRs, by their calling numbers and times: each CDR of a sweep has a number of its own. */
export interface Places {
  readonly calls: readonly string[]
  readonly suspended: readonly string[]
  readonly pending: readonly string[]
  /** Texts of suspense that no entry leads to. */
  readonly orphans: readonly string[]
}

const CALL_COLUMNS = ['uniqueid', 'billsec', 'user_id', 'user_price', 'version'] as const

export async function placesIn({ store }: World, items: readonly DumpedItem[]): Promise<Places> {
  const entries = items.filter(({ SK }) => SK === 'SUSPENSE') as (DumpedItem & SuspendedCdr)[]
  const suspended = await Promise.all(
    entries.map(async (entry) => {
      const text = await suspendedText(store, entry)
      return `${entry.src ?? entry.bytes}@${entry.start} ${entry.reason} ${text.length}`
    }),
  )
  const known = new Set(entries.map(({ PK }) => PK))
  return {
    calls: callsIn(items).map(callText),
    suspended: suspended.sort(),
    pending: items.filter(({ PK }) => PK.startsWith('SIPHALVES#')).map(pendingText),
    orphans: items.flatMap(({ PK, SK }) => (SK.startsWith('TEXT#') && !known.has(PK) ? [SK] : [])),
  }
}

const callText = (call: Call): string => `${call.src} ${CALL_COLUMNS.map((name) => call[name]).join(' ')}`

const pendingText = ({ document, at }: DumpedItem): string =>
  `${(JSON.parse(String(document)) as { src_user: string }).src_user}@${at}`

/** The CDRs that places hold: the calling number of each, and its time where it is no call. */
export const heldIn = ({ calls, suspended, pending }: Places): string[] =>
  [
    ...calls.map((text) => text.split(' ')[0]),
    ...[...suspended, ...pending].map((text) => text.split('@')[0]),
  ].map(String)

/** What is wrong with a table; calls and counters that were looked at before are known by their state. */
export function damageFinder(world: World) {
  const known = new Map<string, string[]>()
  return async (items: readonly DumpedItem[]): Promise<string[]> => {
    const state = JSON.stringify(items.filter(({ PK }) => /^(CALL|STATS)#/.test(PK)))
    const damage = known.get(state) ?? (await damageIn(world, items))
    known.set(state, damage)
    return damage
  }
}
