import pMap from 'p-map'
import type { Services } from '#lib/api/method.ts'
import { chargedInBalance } from '#lib/billing/balance-item.ts'
import type { Store } from '#lib/table/store.ts'
import { method } from '../functions/accounts/users_get.ts'
import { callingAccounts, openBench, settings } from './installation.ts'
import { median, streamAnswer } from './measure.ts'
import type { BenchmarkTable } from './report.ts'
import { FIRST_CUSTOMER } from './written-calls.ts'

const UNIQUEHASH = 'hash-of-admin'

/** The first answers are not measured: they compile the code. */
const ANSWERS = 7
const WARM_AFTER = 2

/** Lists an owner's accounts with users_get, streamed, compressed, without and with two-part balances. */
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

const users = (customers: number) =>
  callingAccounts({ owners: 0, customers }).map((user) => ({
    ...user,
    ...(user.id === '0' && { uniquehash: UNIQUEHASH }),
    first_name: 'Crumb & Crust',
    last_name: `Bakery ${user.id}`,
    password_hash,
  }))

async function keepBalances(store: Store, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => FIRST_CUSTOMER + n)
  await pMap(ids, (id) => store.transact([0, 1].map((turn) => chargedInBalance(id, '12.345678', turn))), {
    concurrency: 16,
  })
}

/** The processor time of this process, which does not hold the table. */
async function microsecondsOfRow(services: Services, count: number): Promise<number> {
  const params = { u: 'admin', uniquehash: UNIQUEHASH }
  const times: number[] = []
  for (let n = 0; n < ANSWERS; n++) {
    let [rows, rest] = [0, '']
    const { processor } = await streamAnswer({ method, services, params, isCompressed: true }, (text) => {
      const parts = `${rest}${text}`.split('</user>')
      rest = parts.pop() ?? ''
      rows += parts.length
    })
    if (n >= WARM_AFTER) times.push(processor / count)
    if (rows !== count) throw new Error(`users_get lists ${rows} accounts of ${count}`)
  }
  return median(times)
}

const tableOf = (count: number, without: number, withBalances: number): BenchmarkTable => ({
  title: `users_get of ${count} accounts, streamed and compressed`,
  rows: [
    ['processor of a row without balances, its reader included (budget: 25 µs)', `${without.toFixed(1)} µs`],
    ['the same with a balance of two parts (budget: 100 µs)', `${withBalances.toFixed(1)} µs`],
  ],
})
