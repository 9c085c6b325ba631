import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import pMap from 'p-map'
import type { Services } from '#lib/api/method.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { chargedInBalance } from '#lib/store/billing/balance-item.ts'
import type { Store } from '#lib/store/store.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { method } from '../functions/accounts/users_get.ts'
import { KEY, openBench, settings } from './load/installation.ts'
import { median } from './median.ts'
import type { BenchmarkTable } from './report.ts'

const UNIQUEHASH = 'hash-of-admin'

/** The first answers are not measured: they compile the code. */
const ANSWERS = 7
const WARM_AFTER = 2

/** Lists accounts of one owner with users_get, streamed and compressed, without balances and with a balance of two parts each. */
export async function benchUsersGet(count: number): Promise<BenchmarkTable> {
  const { services, store, given, stop } = await openBench(clock)
  try {
    await given({ settings, users: users(count) })
    const without = await microsecondsOfRow(services, count)
    await given({ settings: [{ name: 'Balance_From', value: '2026-03-01' }] })
    await keepBalances(store, count)
    const withBalances = await microsecondsOfRow(services, count)
    return tableOf(count, without, withBalances)
  } finally {
    await stop()
  }
}

const clock = () => new Date('2026-03-31T12:00:00Z')

/** A digest that no password has: importing it costs no scrypt. */
const password_hash = `scrypt$2$1$1$AAAA$${'A'.repeat(43)}=`

const users = (count: number) => [
  { id: '0', username: 'admin', usertype: 'admin', owner_id: '0', uniquehash: UNIQUEHASH, password_hash },
  ...Array.from({ length: count }, (_, n) => ({
    id: String(n + 1),
    username: `customer-${n + 1}`,
    usertype: 'user',
    owner_id: '0',
    first_name: 'Crumb & Crust',
    last_name: `Bakery ${n + 1}`,
    password_hash,
  })),
]

async function keepBalances(store: Store, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => n + 1)
  await pMap(ids, (id) => store.transact([0, 1].map((turn) => chargedInBalance(id, '12.345678', turn))), {
    concurrency: 16,
  })
}

/** The processor time of this process, which does not hold the table. */
async function microsecondsOfRow(services: Services, count: number): Promise<number> {
  const sent = { u: 'admin', uniquehash: UNIQUEHASH }
  const body = new URLSearchParams({ ...sent, hash: signatureOf(sent, method.hashOrders[0], KEY) }).toString()
  const event = anEvent({ body, headers: { 'accept-encoding': 'gzip' } })
  const times: number[] = []
  for (let n = 0; n < ANSWERS; n++) {
    const processor = process.cpuUsage()
    const bytes = await streamed(method, services, [event, aContext(300_000)], bytesOf)
    const { user, system } = process.cpuUsage(processor)
    if (n >= WARM_AFTER) times.push((user + system) / count)
    if (bytes.rows !== count) throw new Error(`users_get lists ${bytes.rows} accounts of ${count}`)
  }
  return median(times)
}

async function bytesOf(out: Readable) {
  const seen = { rows: 0 }
  let rest = ''
  for await (const chunk of out.pipe(createGunzip()).setEncoding('utf8')) {
    const parts = `${rest}${chunk}`.split('</user>')
    rest = parts.pop() ?? ''
    seen.rows += parts.length
  }
  return seen
}

const tableOf = (count: number, without: number, withBalances: number): BenchmarkTable => ({
  title: `users_get of ${count} accounts, streamed and compressed`,
  rows: [
    ['processor of a row without balances, its reader included (budget: 25 µs)', `${without.toFixed(1)} µs`],
    ['the same with a balance of two parts (budget: 100 µs)', `${withBalances.toFixed(1)} µs`],
  ],
})
