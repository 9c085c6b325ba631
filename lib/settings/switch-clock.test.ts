import { expect, test } from 'vitest'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { aControlEndpoint, aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { rowsOfList } from '#test/listed.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { pass, type World } from '#test/world.ts'
import { listIntakeRows } from '#tools/commands/intake/intake.ts'

const secondsNow = ({ now }: World) => now.getTime() / 1000

const clocksIn = async (world: World) =>
  (await rowsOfList(await listIntakeRows(world.store, world.now))).map(({ clock }) => clock)

test.each([
  [-12, '12 s behind: let NTP set it'],
  [4, '4 s ahead'],
  [2, undefined],
])('a switch whose clock is %i s ahead is shown: %s', async (ahead, shown) => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorize } = await aSwitch(world)

  await authorize({ call: 'one', at: secondsNow(world) + ahead })
  expect(await clocksIn(world)).toEqual([shown])
  pass(world, 4 * 3600)
  expect(await clocksIn(world)).toEqual([undefined])
})

test('a process writes a difference once an hour, its end, and nothing for a clock that is right', async () => {
  const world = await aControlledWorld(prepaidBob('800'))
  const { authorization } = await aSwitch(world)
  const authorize = aControlEndpoint(world, 'authorize')
  const writes = async (call: string, ahead: number) => {
    const at = String(secondsNow(world) + ahead)
    const body = new URLSearchParams({ call, sip_user: 'bobs-phone', dst: UK, at }).toString()
    await authorize({ body, headers: { authorization } })
    return world.log.at(-1)?.['write_units']
  }

  expect(await writes('a', 0)).toBe(1)
  expect([await writes('b', 30), await writes('c', 31), await writes('d', 29)]).toEqual([2, 1, 1])
  pass(world, 3600)
  expect(await writes('e', 30)).toBe(2)
  expect(await clocksIn(world)).toEqual(['30 s ahead: let NTP set it'])
  expect([await writes('f', 0), await writes('g', 0)]).toEqual([2, 1])
  expect(await clocksIn(world)).toEqual([undefined])
})

const csv = (world: World, uniqueid: string, ahead: number) =>
  `uniqueid,start,dst,duration,billsec,sip_user\n${uniqueid},${secondsNow(world) + ahead - 60},${UK},60,60,bobs-phone\n`

test('the ends of CDRs that come at once tell the clock, and a queue only proves one that is ahead', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const [near, queued, late] = ['of-cdrs', 'of-queue', 'of-files']
  const send = async (name: string, ahead: number, deliver?: typeof deliverToTable) => {
    const headers = { authorization: await anIntake(world, name) }
    await post(world, 'csv', { body: csv(world, name, ahead), headers, ...(deliver && { deliver }) })
  }

  await send(near, -40, deliverToTable)
  await send(queued, 40)
  await send(late, -40)
  expect(await clocksIn(world)).toEqual([
    '40 s behind: let NTP set it',
    undefined,
    '40 s ahead: let NTP set it',
  ])
})
