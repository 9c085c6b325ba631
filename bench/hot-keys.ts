import type { Method } from '#lib/api/method.ts'
import { orderApplies, signatureOf } from '#lib/api/signature.ts'
import { importRows } from '#lib/dataset/import/import.ts'
import { ingestMessages, openIngestWorld } from '#lib/ingest/queue-consumer.ts'
import { createTable, startEngine } from '#lib/local/server/engine.ts'
import { serve } from '#lib/stack/stack.ts'
import type { TableClient } from '#lib/store/requests/client.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter, type Meter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { aContext, anEvent } from '#lib/testing/event.ts'
import { cheapHash } from '#lib/testing/examples/examples.ts'
import { aroundRequests } from '#lib/testing/faults/around-requests.ts'
import { method as quickstatsGet } from '../functions/calls/quickstats_get.ts'
import { method as deviceCreate } from '../functions/devices/device_create.ts'
import { method as userLogin } from '../functions/session/user_login.ts'
import type { BenchmarkTable } from './report.ts'

const KEY = 'secret-of-bench'
const CUSTOMERS = 100
const clock = () => new Date('2026-03-10T12:00:00Z')

/** DynamoDB's limits for one partition key, in units a second. */
const LIMIT = { write: 1000, read: 3000 }

/** How often each operation of the mix is done. */
const TIMES = 64

type Units = Map<string, { write: number; read: number }>

interface Bench {
  readonly store: Store
  readonly meter: Meter
  readonly units: Units
  readonly call: (method: Method, params: Readonly<Record<string, string>>, address?: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** What each kind of operation costs its hottest keys, and at which rate the first of them is full. */
export async function benchHotKeys(): Promise<BenchmarkTable> {
  const rows: [string, string][] = []
  for (const [name, operate, operations] of OPERATIONS) {
    const bench = await openBench()
    bench.units.clear()
    const before = { ...bench.meter.spent }
    for (let n = 0; n < TIMES; n += 1) await operate(bench, n)
    const { write, read } = bench.meter.spent
    const each = (units: number) => (units / (TIMES * operations)).toFixed(1)
    rows.push([
      name,
      `${each(write - before.write)} write and ${each(read - before.read)} read units; ${hottest(bench.units, TIMES * operations)}`,
    ])
    await bench.stop()
  }
  return { title: 'Hot keys: units of an operation, and the keys that fill first', rows }
}

/** The three keys that are full at the lowest rate of operations. */
const hottest = (units: Units, operations: number): string =>
  [...units]
    .map(([key, { write, read }]) => ({ key, share: Math.max(write / LIMIT.write, read / LIMIT.read) }))
    .sort((one, other) => other.share - one.share)
    .slice(0, 3)
    .map(({ key, share }) => `${key} at ${Math.floor(operations / share)} a second`)
    .join(', ')

async function openBench(): Promise<Bench> {
  const engine = await startEngine()
  const tableName = 'bench'
  const client = createClient({ tableName, endpoint: engine.endpoint })
  await createTable(client, tableName)
  const units: Units = new Map()
  const counted = countingUnits(client, units)
  const meter = createMeter()
  const store = createStore({ client: counted, tableName, meter })
  await importRows({ store, clock }, { settings: SETTINGS, users: operator() })
  const services = {
    openStore: () => store,
    clock,
    transport: { streams: false, maxBytes: 4_400_000 },
    random: { below: () => 0 },
    log: () => {},
  }
  const call: Bench['call'] = async (method, params, address) => {
    const order = method.hashOrders.find((one) => orderApplies(params, one))
    const hash = order && signatureOf(params, order, KEY)
    const body = new URLSearchParams({ ...params, ...(hash && { hash }) }).toString()
    const { body: answer } = await serve(method, services)(
      anEvent({ body, ...(address && { address }) }),
      aContext(),
    )
    if (answer.includes('<error>')) throw new Error(`${method.name} answered ${answer}`)
  }
  return { store, meter, units, call, stop: engine.stop }
}

const SETTINGS = [
  { name: 'Allow_API', value: '1' },
  { name: 'API_Secret_Key', value: KEY },
]

const operator = () => [
  { id: '0', username: 'admin', password_hash: cheapHash('x'), usertype: 'admin', owner_id: '0' },
  ...Array.from({ length: CUSTOMERS }, (_, n) => ({
    ...{ id: String(10 + n), username: `customer-${n}`, password_hash: cheapHash('x') },
    ...{ usertype: 'user', owner_id: '0' },
  })),
]

const customer = (n: number): number => 10 + (n % CUSTOMERS)

const cdr = (n: number) => ({
  uniqueid: `1773100000.${n}`,
  calldate: '2026-03-10 10:00:00',
  src: '37060012345',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: 75,
  billsec: 61,
  user_id: customer(n),
  user_price: '0.1',
})

async function send({ store }: Bench, message: object): Promise<void> {
  const failures = await ingestMessages(
    [{ id: '1', body: JSON.stringify(message) }],
    await openIngestWorld(store, clock),
  )
  if (failures.size > 0) throw new Error([...failures.values()][0]?.reason)
}

const BATCH = 100

/** The mix, each with the number of operations that one turn does. */
const OPERATIONS: readonly (readonly [
  name: string,
  operate: (bench: Bench, n: number) => Promise<void>,
  count: number,
])[] = [
  ['a request of one portal (quickstats_get)', ({ call }) => call(quickstatsGet, { u: 'admin' }), 1],
  ['a login', ({ call }, n) => call(userLogin, { u: `customer-${n}`, p: 'x' }, `192.0.2.${n}`), 1],
  [
    'a new device',
    ({ call }, n) => call(deviceCreate, { u: 'admin', user_id: String(customer(n)), description: 'desk' }),
    1,
  ],
  ['a CDR that comes alone', (bench, n) => send(bench, { type: 'calls', records: [cdr(n)] }), 1],
  [
    `CDRs, ${BATCH} in a message`,
    (bench, n) =>
      send(bench, { type: 'calls', records: Array.from({ length: BATCH }, (_, k) => cdr(n * BATCH + k)) }),
    BATCH,
  ],
  ['a live call: started, answered, ended', liveCall, 1],
]

async function liveCall(bench: Bench, n: number): Promise<void> {
  const id = 1000 + n
  await send(bench, {
    ...{ type: 'call_started', id, start_time: '2026-03-10 11:59:00', src: '1001' },
    ...{ user_id: customer(n), localized_dst: '12025550199' },
  })
  await send(bench, { type: 'call_answered', id, answer_time: '2026-03-10 11:59:05' })
  await send(bench, { type: 'call_ended', id })
}

/** Counts units by partition key: by the sizes of what is written, and by what a query says that it cost. */
function countingUnits(client: TableClient, units: Units): TableClient {
  return aroundRequests(client, async (command, request) => {
    const answer = await request()
    for (const [key, kind, count] of costsOf(Object(command).input, Object(answer)))
      add(units, key, kind, count)
    return answer
  })
}

type Cost = readonly [key: string, kind: 'write' | 'read', units: number]

function add(units: Units, key: string, kind: 'write' | 'read', count: number): void {
  const known = units.get(key) ?? { write: 0, read: 0 }
  units.set(key, { ...known, [kind]: known[kind] + count })
}

type Values = Readonly<Record<string, unknown>>

interface Input {
  readonly TransactItems?: readonly Readonly<
    Record<string, { Key?: Values; Item?: Values; ExpressionAttributeValues?: Values }>
  >[]
  readonly RequestItems?: Readonly<Record<string, { Keys?: readonly Values[]; ConsistentRead?: boolean }>>
  readonly Key?: Values
  readonly IndexName?: string
  readonly ExpressionAttributeValues?: Readonly<Record<string, { S?: string }>>
}

function costsOf(input: Input, answer: { ConsumedCapacity?: { CapacityUnits?: number } }): Cost[] {
  if (input.TransactItems)
    return input.TransactItems.flatMap((item) => Object.values(item).flatMap((one) => writeCosts(one, 2)))
  if (input.RequestItems)
    return Object.values(input.RequestItems).flatMap(({ Keys = [], ConsistentRead }) =>
      Keys.map(({ PK }): Cost => [String(PK), 'read', ConsistentRead ? 1 : 0.5]),
    )
  if (input.Key) return writeCosts(input, 1)
  const partition = input.ExpressionAttributeValues?.[':pk']?.S
  const units = answer.ConsumedCapacity?.CapacityUnits ?? 0
  return partition === undefined
    ? []
    : [[[input.IndexName, partition].filter(Boolean).join(' '), 'read', units]]
}

/** A write costs a unit a KB of the item, twice in a transaction, and one in each index that lists it. */
function writeCosts(
  {
    Key,
    Item,
    ExpressionAttributeValues,
  }: { Key?: Values; Item?: Values; ExpressionAttributeValues?: Values },
  factor: number,
): Cost[] {
  const written = Item ?? { ...Key, ...ExpressionAttributeValues }
  const kilobytes = Math.ceil(Buffer.byteLength(JSON.stringify(written)) / 1024)
  const places = Object.values(written).filter((value) => /^(ACTIVE|CALLS|OWNER)#/.test(String(value)))
  return [
    [String((Item ?? Key)?.['PK']), 'write', factor * kilobytes],
    ...places.map((place): Cost => [`index ${place}`, 'write', kilobytes]),
  ]
}
