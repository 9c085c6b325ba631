import { expect, test } from 'vitest'
import { describeClock, findSwitchClocks } from '#lib/settings/switch-clock.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { pass, type World } from '#test/world.ts'

/** A process remembers what it has noted of a switch, and tests share one. */
const aNamedSwitch = async (name: string) => {
  const world = await aControlledWorld(prepaidBob('8'))
  return { world, now: () => Math.floor(world.now.getTime() / 1000), ...(await aSwitch(world, name)) }
}

const clockOf = async (world: World, name: string) =>
  (await findSwitchClocks(world.store, [name], Math.floor(world.now.getTime() / 1000)))[0]

test('a call that begins in an hour tells of a zone, however far it is ahead', async () => {
  const { world, now, ended } = await aNamedSwitch('ahead')
  await ended('one', 3, { start: now() + 3600 })
  expect(await clockOf(world, 'ahead')).toBe(3600)
})

test('a CDR that comes an hour late tells nothing of the clock', async () => {
  const { world, now, ended } = await aNamedSwitch('late')
  await ended('one', 3, { start: now() - 3600 })
  expect(await clockOf(world, 'late')).toBeUndefined()
})

test('a call that ends an hour before its hold was asked for tells of a zone', async () => {
  const { world, now, authorize, ended } = await aNamedSwitch('zone')
  await authorize({ call: 'one', at: now() })
  pass(world, 5)
  await ended('one', 3, { start: now() - 3603 })
  expect(await clockOf(world, 'zone')).toBe(-3595)
})

test('a request whose moment is refused tells of the clock', async () => {
  const { world, now, authorize } = await aNamedSwitch('resumed')
  expect(await authorize({ call: 'one', at: now() - 7200 })).toBe(400)
  expect(await clockOf(world, 'resumed')).toBe(-7200)
})

test('a clock that is off by more than minutes may be a zone', () => {
  expect([-12, 4, 3600, -7200, 90_000].map(describeClock)).toEqual([
    '12 s behind',
    '4 s ahead',
    '3600 s ahead, as with a wrong zone',
    '7200 s behind, as with a wrong zone',
    '90000 s ahead',
  ])
})
