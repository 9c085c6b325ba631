import { expect, test } from 'vitest'
import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { LOCAL_SINCE, subscriptions } from '#lib/billing/subscription.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { movedTo } from '#test/acts/carry-out.ts'
import { people } from '#test/examples/examples.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { method as subscriptionsGet } from '../../../functions/billing/subscriptions_get.ts'

const BERLIN = { Timezone: 'Europe/Berlin', Charges_From: '2026-05-01', Balance_From: '2026-05-01' }

const aCustomer = () =>
  aWorld(
    {
      users: people.map((one) => ({ ...one, postpaid: '0' })),
      services: [
        { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'daily', price: '10' },
        { id: '2', owner_id: '0', name: 'Set-up', type: 'one_time_fee', price: '25' },
      ],
      subscriptions: [
        { id: '1', user_id: '10', service_id: '1', from: '2026-05-10 00:00:00', till: '2026-05-20 23:59:59' },
        { id: '2', user_id: '10', service_id: '2', from: '2026-05-10 08:15:00' },
      ],
    },
    BERLIN,
  )

/** The same in a table of an earlier release, which has moments. */
async function anEarlierWorld(): Promise<World> {
  const world = await aCustomer()
  for (const [id, from, till] of [
    [1, '2026-05-09T22:00:00Z', '2026-05-20T21:59:59Z'],
    [2, '2026-05-10T06:15:00Z', undefined],
  ] as const) {
    const before = await subscriptions.find(world.store, id)
    if (!before) throw new Error('The subscription is missing')
    const moments = {
      from: Date.parse(from) / 1000,
      till: till === undefined ? undefined : Date.parse(till) / 1000,
    }
    await replaceDocuments(world.store, subscriptions, [{ before, after: { ...before, ...moments } }])
  }
  await world.store.update(settingsKey, { set: { table_format: LOCAL_SINCE - 1 } })
  return world
}

async function chargesAt({ store }: World, moment: string): Promise<readonly string[]> {
  const run = { store, settings: await settingsOf(store), now: new Date(moment) }
  const found = await Array.fromAsync(chargeEveryone(run))
  return found.flatMap(({ charges }) => charges).map(({ from, till, net }) => `${from}..${till} ${net}`)
}

const zones = ['America/New_York', 'Pacific/Auckland']

test.each(zones)('another zone, %s, moves no subscription and makes no charge', async (zone) => {
  const world = await aCustomer()
  expect(await chargesAt(world, '2026-05-25T12:00:00Z')).toHaveLength(12)
  const listed = await world.call(subscriptionsGet, 'admin')
  expect(listed).toContain('<from>2026-05-10 08:15:00</from>')

  await movedTo(world, zone)

  expect(await world.call(subscriptionsGet, 'admin')).toBe(listed)
  expect(await chargesAt(world, '2026-05-25T12:00:00Z')).toEqual([])
  expect(await damageIn(world)).toEqual([])
})

test('the migration stores the days of subscriptions by the zone that they had; before it, no zone is set', async () => {
  const world = await anEarlierWorld()
  const listed = await world.call(subscriptionsGet, 'admin')
  expect(await chargesAt(world, '2026-05-25T12:00:00Z')).toHaveLength(12)
  const zone = 'America/New_York'
  const refusal = { code: 'subscriptions_undated', values: { zone: 'Europe/Berlin' } }
  await expect(movedTo(world, zone)).rejects.toMatchObject(refusal)
  const set = carryOutAs(
    world.store,
    setSetting,
    { as: 'admin', now: world.now },
    { name: 'Timezone', value: zone },
  )
  await expect(set).rejects.toMatchObject(refusal)

  expect(await toMigrate(world)).toMatchObject({ dated: 2, problems: 0 })
  expect(await subscriptions.find(world.store, 1)).toMatchObject({ from: expect.any(Number) })
  expect(await migrated(world)).toMatchObject({ dated: 2, problems: 0 })
  await movedTo(world, zone)

  expect(await world.call(subscriptionsGet, 'admin')).toBe(listed)
  expect(await chargesAt(world, '2026-05-25T12:00:00Z')).toEqual([])
  expect(await damageIn(world)).toEqual([])
})
