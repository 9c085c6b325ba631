import { expect, test } from 'vitest'
import type { Meter } from '#lib/table/requests/meter.ts'
import {
  aControlEndpoint,
  aControlledWorld,
  aSwitch,
  type ControlPath,
  prepaidBob,
  UK,
} from '#test/control/switch.ts'
import { exampleDevices } from '#test/examples/examples.ts'
import { basic } from '#test/mediation/intake.ts'
import { bodyOf, pass } from '#test/world.ts'
import { findHolds, readHolds } from './holds.ts'

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

/** An authorisation of one function, and what its last request has spent. */
async function meteredSwitch() {
  const world = await aControlledWorld(prepaidBob('0.2', { reserve_seconds: '60' }))
  const { authorization } = await aSwitch(world)
  const meters: Meter[] = []
  const openStore = (meter: Meter) => {
    meters.push(meter)
    return world.services.openStore(meter)
  }
  const endpoint = aControlEndpoint({ ...world, services: { ...world.services, openStore } }, 'authorize')
  const spentBy = async (call: string, { dst = UK, secret = authorization } = {}) => {
    const answer = await endpoint({
      body: `call=${call}&dst=${dst}&sip_user=bobs-phone`,
      headers: { authorization: secret },
    })
    return { answer: bodyOf(answer), ...(meters.at(-1) as Meter).spent }
  }
  const pay = (id: string) =>
    world.given({
      payments: [{ id, user_id: '10', date: '2026-03-10 12:00:00', amount: '5', completed: '1' }],
    })
  return { world, spentBy, pay }
}

test('a warm function sends three requests; a cold one sends seven', async () => {
  const { spentBy, pay } = await meteredSwitch()

  const cold = await spentBy('cold')
  expect(cold.requests).toBe(7)
  expect(await spentBy('refused')).toMatchObject({ requests: 4 })
  await pay('1')
  expect(await spentBy('warm')).toMatchObject({ requests: 3 })
  expect(await spentBy('free', { dst: '*98' })).toMatchObject({ requests: 2 })
})

test('what a function read of a payer before, it asks for at once, and for nobody else', async () => {
  const { world, spentBy, pay } = await meteredSwitch()
  await pay('1')
  const cold = await spentBy('cold')
  pass(world, 2)

  const later = await spentBy('later')
  expect(later.answer).toContain('"allow":true')
  // Counted by requests: how many of them overlap depends on the load of the machine.
  expect([cold.requests, later.requests]).toEqual([7, 4])
  expect(later.read).toBeLessThanOrEqual(cold.read)
  pass(world, 2)
  expect(await spentBy('x', { secret: basic('fs1', 'x') })).toMatchObject({ read: 2 })
})

test('a device that moves between two requests is answered for by its account of now', async () => {
  const { world, spentBy, pay } = await meteredSwitch()
  await pay('1')
  await spentBy('one')
  const devices = exampleDevices.filter(({ name }) => name === 'bobs-phone')
  await world.given({ devices: devices.map((device) => ({ ...device, user_id: '11' })) })
  pass(world, 2)

  expect((await spentBy('two')).answer).toContain('"reason":"blocked"')
  await world.given({ devices })
  pass(world, 2)
  expect((await spentBy('three')).answer).toContain('"allow":true')
  expect(await findHolds(world.store, [10, 11])).toMatchObject([{ open: 2 }, { open: 0 }])
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
