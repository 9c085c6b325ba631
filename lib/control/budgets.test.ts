import { expect, test } from 'vitest'
import type { Meter } from '#lib/table/requests/meter.ts'
import {
  aControlEndpoint,
  aControlledWorld,
  aSwitch,
  type ControlPath,
  pass,
  prepaidBob,
  UK,
} from '#test/control/switch.ts'
import { readHolds } from './holds.ts'

/** A warm function of each path, and what its requests cost. */
async function warmSwitch(account = {}) {
  const world = await aControlledWorld(prepaidBob('1000', { reserve_seconds: '60', ...account }))
  const { authorization, ended } = await aSwitch(world)
  const endpoints = {
    authorize: aControlEndpoint(world, 'authorize'),
    release: aControlEndpoint(world, 'release'),
  }
  const send = async (path: ControlPath, call: string) => {
    const body = `call=${call}&dst=${UK}&sip_user=bobs-phone`
    await endpoints[path]({ body, headers: { authorization } })
    return world.log.at(-1) ?? {}
  }
  return { world, ended, send }
}

const cost = ({ read_units, write_units }: Readonly<Record<string, unknown>>) => ({ read_units, write_units })

test('a warm function authorises with one write unit, up to 16 holds; a refusal writes nothing', async () => {
  const { world, send } = await warmSwitch({ calls_limit: '16' })
  for (let call = 0; call < 15; call += 1) await send('authorize', `c${call}`)

  expect(cost(await send('authorize', 'last'))).toEqual({ read_units: 4, write_units: 1 })
  expect(cost(await send('authorize', 'refused'))).toMatchObject({ write_units: 0 })
  await send('release', 'c0')
  expect(cost(await send('release', 'c1'))).toEqual({ read_units: 2, write_units: 1 })
  const item = (await world.dump()).find(({ PK }) => PK === 'HOLDS#10')
  expect(readHolds(item).texts.size).toBe(14)
})

test('a daily limit reads the counters of today, too', async () => {
  const { send } = await warmSwitch({ daily_balance_limit: '500' })
  await send('authorize', 'one')

  expect(cost(await send('authorize', 'two'))).toEqual({ read_units: 6, write_units: 1 })
})

test('a warm function sends four requests; a cold one sends eleven, some at once', async () => {
  const world = await aControlledWorld(prepaidBob('0.2', { reserve_seconds: '60' }))
  const { authorization } = await aSwitch(world)
  const meters: Meter[] = []
  const openStore = (meter: Meter) => {
    meters.push(meter)
    return world.services.openStore(meter)
  }
  const endpoint = aControlEndpoint({ ...world, services: { ...world.services, openStore } }, 'authorize')
  const requestsFor = async (call: string, dst = UK) => {
    await endpoint({ body: `call=${call}&dst=${dst}&sip_user=bobs-phone`, headers: { authorization } })
    return meters.at(-1)?.spent.requests
  }

  expect(await requestsFor('cold')).toBe(11)
  expect(meters.at(-1)?.spent.roundTrips).toBeLessThan(11)
  expect(await requestsFor('refused')).toBe(5)
  await world.given({
    payments: [{ id: '1', user_id: '10', date: '2026-03-10 12:00:00', amount: '5', completed: '1' }],
  })
  expect(await requestsFor('warm')).toBe(4)
  expect(await requestsFor('free', '*98')).toBe(2)
})

test('an account that is not limited costs no write, and its CDR nothing more than before', async () => {
  const unlimited = await warmSwitch({ postpaid: '1', credit: '-1' })
  await unlimited.send('authorize', 'one')
  expect(cost(await unlimited.send('authorize', 'two'))).toEqual({ read_units: 1, write_units: 0 })

  const units = []
  await unlimited.ended('first', 60)
  for (const Call_Control of ['0', '1']) {
    await unlimited.world.set({ Call_Control })
    pass(unlimited.world, 60)
    await unlimited.ended(`call-${Call_Control}`, 60)
    units.push(cost(unlimited.world.log.findLast(({ function: name }) => name === 'ingest_calls') ?? {}))
  }
  expect(units[1]).toEqual(units[0])
})

test('a prepaid call alone costs two write units more than one without call control', async () => {
  const { world, ended, send } = await warmSwitch()
  const spent = async (call: string, Call_Control: string) => {
    await world.set({ Call_Control })
    pass(world, 60)
    const before = world.log.length
    await send('authorize', call)
    pass(world, 60)
    await ended(call, 60)
    return world.log.slice(before).reduce((sum, { write_units }) => sum + Number(write_units ?? 0), 0)
  }
  await spent('first', '1')

  const [without, withControl] = [await spent('without', '0'), await spent('with', '1')]
  expect(withControl).toBe(without + 2)
  expect(withControl).toBeLessThanOrEqual(12)
})
