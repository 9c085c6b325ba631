import { expect, test } from 'vitest'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { findIntake } from '#lib/settings/intake.ts'
import { createSwitchClocks } from '#lib/settings/switch-clock.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'

test('a switch gets a secret that is shown once, is listed without it, and is revoked', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const add = (name: string, zone = '') => client.send('POST', '/intakes', { name, zone })

  expect((await add('two words')).body).toMatchObject({
    error: {
      code: 'invalid',
      message: 'name is "two words", expected name of at most 40 letters, digits, - and _.',
    },
  })
  expect((await add('pbx1', 'Mars')).status).toBe(422)
  const { body } = await add('pbx1', 'Europe/Berlin')
  expect(body).toEqual({ name: 'pbx1', secret: expect.stringMatching(/^[A-Za-z0-9]{32}$/) })
  expect((await add('pbx1')).status).toBe(409)

  const listed = await client.get('/intakes')
  expect(listed.body['intakes']).toEqual([
    {
      name: 'pbx1',
      zone: 'Europe/Berlin',
      clock: null,
      isClockOff: false,
      added: '2026-03-10 12:00:00',
      lastCall: null,
      suspended: 0,
    },
  ])
  expect(JSON.stringify(await world.dump())).not.toContain(body['secret'])

  expect((await client.send('DELETE', '/intakes/pbx1')).status).toBe(200)
  expect((await client.send('DELETE', '/intakes/pbx1')).status).toBe(404)
  expect(await findIntake(world.store, 'pbx1')).toBeUndefined()
})

test('a switch is listed with its last call and with its suspended CDRs', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const call = {
    ...{ src: '37000000001', dst: '37060012345', disposition: 'ANSWERED' },
    duration: '60',
    billsec: '60',
  }
  const record = (uniqueid: string, more: object) => ({ ...call, uniqueid, source: 'pbx1', ...more })
  await client.send('POST', '/intakes', { name: 'pbx1' })
  await client.send('POST', '/intakes', { name: 'pbx2' })
  await consume(world, {
    type: 'calls',
    records: [
      record('one', { calldate: '2026-03-09 10:00:00', user_id: '10' }),
      record('two', { calldate: '2026-03-09 11:00:00', user_id: '10' }),
    ],
  })
  await putSuspended(world.store, [
    {
      ...{ id: '0'.repeat(24), order: '001773140400#000', format: 'csv', source: 'pbx1', zone: 'UTC' },
      ...{ reason: 'unknown_account', detail: 'no account', text: 'x' },
    },
  ])

  expect((await client.get('/intakes')).body).toMatchObject({
    intakes: [
      { name: 'pbx1', lastCall: '2026-03-09 11:00:00', suspended: 1 },
      { name: 'pbx2', lastCall: null, suspended: 0 },
    ],
    read: { calls: 50, days: 7, suspended: 50 },
  })
})

test('the switches whose clocks need attention are told', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  for (const name of ['pbx1', 'pbx2', 'pbx3']) await client.send('POST', '/intakes', { name })
  const now = world.now.getTime() / 1000
  await createSwitchClocks()(world.store, 'pbx1', -12, now)
  await createSwitchClocks()(world.store, 'pbx2', 4, now)

  expect((await client.get('/intakes/clocks')).body).toEqual({
    off: [{ name: 'pbx1', clock: '12 s behind' }],
  })
})
