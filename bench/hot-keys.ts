import { hashPassword } from '#lib/accounts/password.ts'
import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { SHARDS } from '#lib/base/shards.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { rememberingReader, withRecentSettings } from '#lib/settings/recent-items.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { aContext, queueEvent } from '#test/event.ts'
import type { SentParameters } from '#tools/contracts/signed-call.ts'
import { method as quickstatsGet } from '../functions/calls/quickstats_get.ts'
import { method as userCallsGet } from '../functions/calls/user_calls_get.ts'
import { method as deviceCreate } from '../functions/devices/device_create.ts'
import { method as userLogin } from '../functions/session/user_login.ts'
import { accountName, callingAccounts, openBench, settings } from './installation.ts'
import { benchmarkEvent } from './measure.ts'
import { type BenchmarkTable, oneDecimal } from './report.ts'
import { countUnitsByKey, type KeyCounter, shareOfKey, sumOf, type Units } from './units-by-key.ts'
import { FIRST_CUSTOMER } from './written-calls.ts'

const PASSWORD = 'password-of-bench'
const CUSTOMERS = 256
const START = Date.parse('2026-03-10T12:00:00Z')

/** The time between a warm function's requests or batches: it remembers what it read for a second. */
const STEP_MS = 50

interface Bench extends Pick<KeyCounter, 'byKey' | 'total' | 'clear'> {
  /** The units that the engine counts. */
  readonly spent: () => Units
  readonly call: (method: Method, params: SentParameters, address?: string) => Promise<void>
  /** The consumer takes the messages from the queue together. */
  readonly send: (...messages: readonly object[]) => Promise<void>
  readonly stop: () => Promise<void>
}

export type OperationName = 'request' | 'list' | 'login' | 'device' | 'cdr' | 'taken' | 'batched' | 'live'

/** The cost of one operation. `byKey` has the keys that several operations share. */
export interface OperationCost extends Units {
  readonly title: string
  readonly byKey: ReadonlyMap<string, Units>
}

export type OperationCosts = Readonly<Record<OperationName, OperationCost>>

/** Drives the store with each kind of operation in turn, each on a table of its own. */
export async function measureHotKeys(): Promise<OperationCosts> {
  const costs: Partial<Record<OperationName, OperationCost>> = {}
  for (const name of Object.keys(OPERATIONS) as OperationName[]) costs[name] = await measure(OPERATIONS[name])
  return costs as OperationCosts
}

async function measure({ title, times, size = 1, operate }: Operation): Promise<OperationCost> {
  const bench = await openCountedBench()
  try {
    bench.clear()
    const shared = new Map<string, number>()
    const before = bench.spent()
    for (let n = 0; n < times; n += 1) {
      const seen = new Map(bench.byKey)
      await operate(bench, n)
      for (const [key, units] of bench.byKey)
        if (seen.get(key) !== units) shared.set(key, (shared.get(key) ?? 0) + 1)
    }
    refuseDifference(title, bench, before)
    const byKey = new Map(
      [...bench.byKey]
        .filter(([key]) => Number(shared.get(key)) > 1)
        .map(([key, units]) => [key, scaled(units, 1 / (times * size))]),
    )
    return { title, ...scaled(bench.total(), 1 / (times * size)), byKey }
  } finally {
    await bench.stop()
  }
}

const scaled = ({ write, read }: Units, factor: number): Units => ({
  write: write * factor,
  read: read * factor,
})

/** The sizes that the units of keys are computed from must give what the engine has counted. */
function refuseDifference(title: string, { total, spent }: Bench, before: Units): void {
  const [after, keys] = [spent(), total()]
  const [write, read] = [after.write - before.write, after.read - before.read]
  const isNear = (one: number, other: number) => Math.abs(one - other) <= 0.02 * other
  if (isNear(keys.write, write) && isNear(keys.read, read)) return
  throw new Error(
    `${title}: the keys add up to ${keys.write} write and ${keys.read} read units, the engine counted ${write} and ${read}`,
  )
}

/** Operations by call: half of the CDRs come alone; a hundred calls bring a login, a thousand a device. */
const MIX: Readonly<Record<OperationName, number>> = {
  request: 1,
  list: 1,
  login: 0.01,
  device: 0.001,
  cdr: 0,
  taken: 0.5,
  batched: 0.5,
  live: 1,
}

/** The mix as an operation: one call with all that comes with it. */
function mixOf(costs: OperationCosts): OperationCost {
  const byKey = new Map<string, Units>()
  let total: Units = { write: 0, read: 0 }
  for (const [name, times] of Object.entries(MIX) as [OperationName, number][]) {
    total = sumOf(total, scaled(costs[name], times))
    for (const [key, units] of costs[name].byKey)
      byKey.set(key, sumOf(byKey.get(key) ?? { write: 0, read: 0 }, scaled(units, times)))
  }
  return { title: MIX_TITLE, ...total, byKey }
}

const MIX_TITLE =
  'a mix: a live call, its CDR (half of them 100 in a message), two requests, a hundredth of a login, a thousandth of a new device'

/** The units of each kind of operation, and its keys that are full first. */
export const hotKeysTable = (costs: OperationCosts): BenchmarkTable => ({
  title: 'Hot keys: units of an operation, and the shared keys that are full first',
  columns: ['operation', 'write units', 'read units', 'first full keys, at this many operations a second'],
  rows: [...Object.values(costs), mixOf(costs)].map(({ title, write, read, byKey }) => [
    title,
    oneDecimal(write),
    oneDecimal(read),
    firstFull(byKey),
  ]),
})

const SHOWN_KEYS = 3

/** The keys that fill up at the lowest rate. A key's busiest shard represents all of them. */
function firstFull(byKey: ReadonlyMap<string, Units>): string {
  const shares = [...byKey].map(([key, units]) => ({ key, share: shareOfKey(units) }))
  const families = Map.groupBy(shares, ({ key }) => key.replace(/#\d+$/, '#*'))
  return [...families]
    .map(([family, keys]) => ({
      name: keys.length === 1 ? keys[0]?.key : family,
      share: Math.max(...keys.map(({ share }) => share)),
    }))
    .sort((one, other) => other.share - one.share)
    .slice(0, SHOWN_KEYS)
    .map(({ name, share }) => `\`${name}\` ${rounded(1 / share)}`)
    .join(', ')
}

/** Two digits: shards are not hit equally often in a short run. */
const rounded = (rate: number): string => Number(rate.toPrecision(2)).toLocaleString('en')

/** With more shards than a new table has, a thousand calls a second do not depend on the shards. */
const MEASURED_SHARDS = 16

async function openCountedBench(): Promise<Bench> {
  let turns = 0
  const clock = () => new Date(START + turns * STEP_MS)
  const { client, tableName, given, stop, ...bench } = await openBench(clock)
  const { client: counting, ...counter } = countUnitsByKey(client, tableName)
  const meter = createMeter()
  const store = createStore({ client: counting, tableName, meter })
  const readItems = rememberingReader(clock)
  const password_hash = await hashPassword(PASSWORD)
  const users = callingAccounts({ owners: 0, customers: CUSTOMERS }).map((user) => ({
    ...user,
    password_hash,
  }))
  await given({ settings, users })
  await bench.store.update(settingsKey, { set: { [SHARDS]: [MEASURED_SHARDS] } })
  const transport = { streams: false, maxBytes: 4_400_000 }
  const services = { ...bench.services, openStore: () => store, readItems, transport }
  const call: Bench['call'] = async (method, params, address) => {
    turns += 1
    const event = benchmarkEvent(method, params, address === undefined ? {} : { address })
    const { body: answer } = await serve(method, services)(event, aContext())
    if (answer.includes('<error>')) throw new Error(`${method.name} answered ${answer}`)
  }
  const openStore = () => withRecentSettings(store, readItems)
  const consume = queueConsumer({ ...bench.services, openStore })
  const spent = () => ({ write: meter.spent.write, read: meter.spent.read })
  const send: Bench['send'] = async (...messages) => {
    turns += 1
    const { batchItemFailures } = await consume(queueEvent(...messages))
    if (batchItemFailures.length > 0) throw new Error('A message was not stored')
  }
  return { ...counter, spent, call, send, stop }
}

const customer = (n: number): number => FIRST_CUSTOMER + (n % CUSTOMERS)

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

interface Operation {
  readonly title: string
  /** The number of turns. A login takes a third of a second, and shares no key with others but the first. */
  readonly times: number
  /** The number of operations that a turn does. */
  readonly size?: number
  readonly operate: (bench: Bench, n: number) => Promise<void>
}

const BATCH = 100

/** At 100 messages a second, five pollers gather about as many in the batching window of a second. */
const TAKEN = 20

const DAY = {
  period_start: String(Date.parse('2026-03-10T00:00:00Z') / 1000),
  period_end: String(Date.parse('2026-03-10T23:59:59Z') / 1000),
}
const TIMES = 256

const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  request: {
    title: 'a request of one portal (`quickstats_get` as admin)',
    times: TIMES,
    operate: ({ call }) => call(quickstatsGet, { u: 'admin' }),
  },
  list: {
    title: 'a request of a customer (`user_calls_get` of a day)',
    times: TIMES,
    operate: ({ call }, n) => call(userCallsGet, { u: accountName(customer(n)), ...DAY }),
  },
  login: {
    title: 'a login',
    times: 16,
    operate: ({ call }, n) => call(userLogin, { u: accountName(customer(n)), p: PASSWORD }, `192.0.2.${n}`),
  },
  device: {
    title: 'a new device (`device_create` as admin)',
    times: TIMES,
    operate: ({ call }, n) =>
      call(deviceCreate, { u: 'admin', user_id: String(customer(n)), description: 'desk' }),
  },
  cdr: {
    title: 'a CDR that comes alone',
    times: TIMES,
    operate: ({ send }, n) => send({ type: 'calls', records: [cdr(n)] }),
  },
  taken: {
    title: `a CDR in a message of its own, ${TAKEN} messages taken together`,
    times: TIMES / 4,
    size: TAKEN,
    operate: ({ send }, n) =>
      send(...Array.from({ length: TAKEN }, (_, k) => ({ type: 'calls', records: [cdr(n * TAKEN + k)] }))),
  },
  batched: {
    title: `a CDR, ${BATCH} in a message`,
    times: TIMES / 4,
    size: BATCH,
    operate: ({ send }, n) =>
      send({ type: 'calls', records: Array.from({ length: BATCH }, (_, k) => cdr(n * BATCH + k)) }),
  },
  live: { title: 'a live call: started, answered, ended', times: TIMES, operate: liveCall },
}

async function liveCall({ send }: Bench, n: number): Promise<void> {
  const id = 1000 + n
  await send({
    type: 'call_started',
    id,
    start_time: '2026-03-10 11:59:00',
    src: '1001',
    user_id: customer(n >> 2),
    localized_dst: '12025550199',
  })
  await send({ type: 'call_answered', id, answer_time: '2026-03-10 11:59:05' })
  await send({ type: 'call_ended', id })
}
