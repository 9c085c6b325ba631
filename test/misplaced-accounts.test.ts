import { expect, test } from 'vitest'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { everything } from '#test/examples/everything.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as activeCalls } from '../functions/calls/active_calls_get.ts'
import { method as localCalls } from '../functions/calls/local_calls_get.ts'
import { method as queueLog } from '../functions/calls/queue_log_get.ts'
import { method as userCalls } from '../functions/calls/user_calls_get.ts'
import { method as devices } from '../functions/devices/devices_get.ts'
import { method as locationRules } from '../functions/location-rules/location_rules_get.ts'
import { method as exchangeRate } from '../functions/rates/exchange_rate_update.ts'
import { method as rate } from '../functions/rates/rate_get.ts'
import { method as tariffRates } from '../functions/rates/tariff_rates_get.ts'

/** The things that are foreign to Rick, a reseller: Bob is admin's customer. */
const FOREIGN = [
  [devices, { user_id: '10' }],
  [userCalls, { s_user: '10', period_start: '0', period_end: '1773187200' }],
  [localCalls, { s_userid: '10', period_start: '0', period_end: '1773187200' }],
  [rate, { username: 'bob', prefix: '370' }],
  [tariffRates, { tariff_id: '1' }],
  [locationRules, { location_id: '1' }],
] as const

/** An account that an earlier version imported, or that was written by hand. */
async function aWorldWithLost(usertype: 'admin' | 'accountant'): Promise<World> {
  const world = await aWorld(everything, { Devices_Check_Rate: '1' })
  const row = {
    id: '9',
    username: 'lost',
    usertype: 'reseller',
    owner_id: '2',
    password_hash: '0'.repeat(40),
  }
  await world.given({ users: [row] })
  await world.store.transact([
    { update: accountKey(9), to: { set: { usertype } } },
    { update: callerKey('lost'), to: { set: { usertype } } },
  ])
  return world
}

test.each(['admin', 'accountant'] as const)(
  'an %s of a reseller reaches nothing of others',
  async (usertype) => {
    const world = await aWorldWithLost(usertype)

    for (const [method, params] of FOREIGN) {
      const { name } = method
      expect([name, await world.call(method, 'lost', params)]).toEqual([
        name,
        await world.call(method, 'rick', params),
      ])
      expect([name, await world.call(method, 'admin', params)]).not.toEqual([
        name,
        await world.call(method, 'rick', params),
      ])
    }
    expect(await world.call(activeCalls, 'lost')).not.toContain('<id>2</id>')
    for (const method of [exchangeRate, queueLog])
      expect(await world.call(method, 'lost', { currency: 'EUR', rate: '2' })).toContain('Access Denied')
  },
)

test.each(['admin', 'accountant'] as const)('check-data names an %s of a reseller', async (usertype) => {
  expect(await damageIn(await aWorldWithLost(usertype))).toContainEqual(
    `Account 9, lost, of type ${usertype} belongs to account 2, but an ${usertype} belongs to account 0: import it again.`,
  )
})
