import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { addKey } from '#lib/acts/accounts/key-acts.ts'
import { addDays } from '#lib/base/calendar.ts'
import { countedInStats } from '#lib/calls/counters/call-stats.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { noteFailedImport } from '#lib/settings/failed-import.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates, passwordOf } from '#test/examples/estates.ts'
import { aFailureOf } from '#test/failed-imports.ts'
import { newShards } from '#test/shards.ts'
import { aWorld, type World } from '#test/world.ts'

/**
 * The round trips and capacity units of each reading with its session, for an admin: of a cold Lambda, then
 * of one that remembers account names. The table has 1,500 calls of 50 customers on the 31 days of March, 100
 * suspended CDRs, 20 failed imports, 200 invoices and an integration's key; with every counter of 62 days, a
 * month costs the same for any number of calls. The hourly run has summed up the days.
 */
const TABLE = `
reading                                                 | trips | units | remembering
/session                                                | 1     | 3     | 3
/customers                                              | 4     | 12    | 11.5
/customers?search=c1                                    | 5     | 12    | 11.5
/customers/1001                                         | 3     | 7.5   | 7
/traffic?from=2026-03-01&till=2026-03-31                | 2     | 5     | 5
/traffic?from=2026-03-01&till=2026-03-31&customer=1001  | 3     | 5     | 5
/traffic?from=2026-03-01&till=2026-03-31&by=customer    | 3     | 11    | 11
/traffic?from=2026-03-01&till=2026-03-31&by=destination | 3     | 5     | 5
/calls?from=2026-03-01&till=2026-03-31                  | 7     | 11    | 9.5
/calls?from=2026-03-01&till=2026-03-31&customer=1001    | 5     | 13.5  | 13
/live-calls                                             | 2     | 4     | 4
/search?text=c1                                         | 4     | 12.5  | 12.5
/documents                                              | 5     | 10.5  | 6
/documents/ageing                                       | 7     | 19    | 14.5
/documents/mails                                        | 2     | 4     | 4
/documents/invoices/1                                   | 4     | 12    | 11  
/month/losses                                           | 2     | 3.5   | 3.5
/records/subscriptions?named=user_id,service_id         | 4     | 9.5   | 8
/suspense                                               | 2     | 6     | 6
/failed-imports                                         | 2     | 5     | 5
/tariffs                                                | 3     | 5.5   | 3.5
/tariffs/3010                                           | 4     | 8     | 7.5
/prices?customer=1001&number=37060012345                | 7     | 9.5   | 9.5
/customers/1001/prices                                  | 10    | 13    | 13
/customers/1001/may-call?number=37060012345             | 6     | 8.5   | 8.5
/settings                                               | 2     | 5     | 5
/own/brand                                              | 2     | 4     | 4
/document-files/sample                                  | 2     | 4     | 4
/keys                                                   | 4     | 5.5   | 5.5
/intakes                                                | 5     | 9.5   | 9.5
/reratings                                              | 2     | 4     | 4
/webhooks                                               | 2     | 4     | 4
`

/** The same for a customer with a call a day, on its own page: at most 15 units each. */
const OWN = `
/session                                               | 2     | 5     | 5
/own/month                                             | 2     | 7.5   | 7.5
/own/months                                            | 2     | 5     | 5
/own/details                                           | 3     | 6     | 6
/own/dues                                              | 3     | 6.5   | 6.5
/own/rates?search=370                                  | 3     | 4.5   | 4.5
/own/rates?search=lith                                 | 3     | 4.5   | 4.5
/own/devices                                           | 2     | 4     | 4
/calls?from=2026-03-01&till=2026-03-31                 | 4     | 12.5  | 12
/calls?from=2026-03-01&till=2026-03-31&destinations=yes | 7    | 15    | 14.5
/prices?number=37060012345                             | 7     | 9.5   | 9.5
/documents                                             | 4     | 5.5   | 5
/documents?kind=payments                               | 2     | 4     | 4
/documents/statement                                   | 6     | 8.5   | 8
/brand                                                 | 2     | 3.5   | 3.5
`

const rowsOf = (username: string, table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([path = '', ...figures]) => [username, path, ...figures.map(Number)] as Case)

type Case = [username: string, path: string, trips: number, units: number, remembering: number]

const CASES = [...rowsOf('admin', TABLE).slice(1), ...rowsOf('c1', OWN)]

const CUSTOMERS = 50

const users = Array.from({ length: CUSTOMERS }, (_, index) => ({
  id: `${1000 + index}`,
  owner_id: '0',
  username: `c${index}`,
  usertype: 'user',
  tariff_id: '3010',
  password_hash: createHash('sha1')
    .update(passwordOf(`c${index}`))
    .digest('hex'),
}))

const calls = Array.from({ length: 1500 }, (_, index) => ({
  uniqueid: `units-${index}`,
  calldate: `2026-03-${String(1 + (index % 31)).padStart(2, '0')} 12:${String(index % 60).padStart(2, '0')}:00`,
  src: '37000000001',
  dst: '37060012345',
  disposition: 'ANSWERED',
  duration: '60',
  billsec: '60',
  hangupcause: '16',
  user_id: `${1000 + (index % CUSTOMERS)}`,
  user_price: '0.1',
  provider_price: '0.05',
}))

const invoices = Array.from({ length: 200 }, (_, index) => ({
  id: `${index}`,
  user_id: `${1000 + (index % CUSTOMERS)}`,
  number: `A-${index}`,
  issue_date: '2026-03-01',
  price: '10',
}))

const suspended = (index: number) => ({
  id: String(index).padStart(24, '0'),
  order: `0017731404${String(index).padStart(2, '0')}#000`,
  format: 'asterisk-csv',
  source: 'pbx',
  zone: 'UTC',
  reason: 'unknown_account',
  detail: 'no account',
  text: 'x',
})

/** Every shard of everyone's counters on every day of two months. */
async function fillCounters({ store }: World): Promise<void> {
  const tally = { calls: 1000, answered: 900, billsec: 54_000, revenue: '123.456789', self_cost: '100.5' }
  for (let index = 0; index < 62; index += 1) {
    const day = addDays('2026-01-29', index)
    await store.transact(
      [0, 1].map((turn) => countedInStats({ scope: 'everyone', day, tally }, turn, newShards)),
    )
  }
}

const service = { owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' }

const subscriptions = Array.from({ length: 100 }, (_, index) => ({
  ...{ id: `${index + 1}`, user_id: `${1000 + (index % CUSTOMERS)}`, service_id: `${(index % 4) + 1}` },
  ...{ from: '2026-03-01 00:00:00', quantity: '1', memo: '' },
}))

let world: World

beforeAll(async () => {
  world = await aWorld(estates)
  await world.given({ users })
  await world.given({ calls, invoices })
  await world.given({ services: [1, 2, 3, 4].map((id) => ({ ...service, id: `${id}` })) })
  await world.given({ subscriptions })
  await fillCounters(world)
  await carriedOut(world, addKey, { name: 'crm', as: 'c1', methods: 'all' })
  world.now = new Date('2026-03-31T20:00:00Z')
  const settings = await settingsOf(world.store)
  await sumUpDays({ store: world.store, settings, now: world.now, hasTime: () => true })
  for (let n = 0; n < 20; n += 1)
    await noteFailedImport(world.store, aFailureOf(`records/2026-03/calls-${n}.csv`))
  await putSuspended(
    world.store,
    Array.from({ length: 100 }, (_, index) => suspended(index)),
  )
}, 120_000)

test.each(CASES)(
  'of %s: %s takes %d trips and %d units, then %d units, and is below 300 KB',
  async (username, path, ...most) => {
    const [below = '', query] = path.split('?')
    const client = await aSignedClient(world, username)
    const ask = async () => {
      const { status, body } = await client.get(below, Object.fromEntries(new URLSearchParams(query)))
      expect([status, body['error']]).toEqual([200, undefined])
      expect(JSON.stringify(body).length).toBeLessThan(300_000)
      return world.log.at(-1) as { round_trips: number; read_units: number }
    }

    const [first, second] = [await ask(), await ask()]

    const figures = [first.round_trips, first.read_units, second.read_units]
    expect(figures).toEqual(most)
  },
)

test('the table has every reading of a list, and no page of a customer takes more than 15 units', () => {
  expect(CASES.length).toBeGreaterThan(12)
  expect(CASES.filter(([username, , , units]) => username !== 'admin' && units > 15)).toEqual([])
})
