import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { setSetting } from '#lib/calls/set-settings.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { rememberingReader, withRecentSettings } from '#lib/settings/recent-items.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { movedTo } from '#test/acts/carry-out.ts'
import { queueEvent } from '#test/event.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { method as quickstats } from '../../../functions/calls/quickstats_get.ts'
import { method as userCalls } from '../../../functions/calls/user_calls_get.ts'

const moments = [
  '2026-02-28T22:30:00Z',
  '2026-03-10T04:59:59Z',
  '2026-03-10T11:00:00Z',
  '2026-03-10T11:59:59Z',
]

async function aWorldWithCalls(zone: string) {
  const world = await aWorld({}, { Timezone: zone })
  const calls = moments.map((calldate, index) => ({
    uniqueid: `c${index}`,
    calldate,
    billsec: '60',
    hangupcause: '16',
    user_id: index % 2 === 0 ? '10' : '20',
    user_price: '0.1',
    reseller_price: index % 2 === 0 ? '' : '0.05',
  }))
  await world.given({ users: people, calls })
  return world
}

const withoutZone = (document: string) => document.replaceAll(/<timezone>.*?<\/timezone>/g, '')

test.each(['Pacific/Auckland', 'America/New_York', 'Asia/Kathmandu'])(
  'moved to the days of %s, all answers are as if this had always been the zone',
  async (zone) => {
    const [moved, native] = await Promise.all([aWorldWithCalls('Europe/Vilnius'), aWorldWithCalls(zone)])

    await movedTo(moved, zone)

    for (const caller of ['admin', 'rick', 'bob']) {
      expect(await moved.call(quickstats, caller)).toBe(await native.call(quickstats, caller))
      for (const period_start of ['', '0']) {
        expect(withoutZone(await moved.call(userCalls, caller, { period_start }))).toBe(
          withoutZone(await native.call(userCalls, caller, { period_start })),
        )
      }
    }
    expect(await movedTo(moved, zone)).toBe(0)
  },
)

test('a call that a consumer of a minute stores by the former zone is moved as well', async () => {
  const world = await aWorldWithCalls('Europe/Vilnius')
  const store = withRecentSettings(
    world.store,
    rememberingReader(() => new Date()),
  )
  const [, calldate] = moments.slice(-2)
  const late = { uniqueid: 'late', calldate, src: '1', dst: '2', duration: 1, billsec: 1, user_id: 10 }
  const message = { type: 'calls', records: [{ ...late, disposition: 'ANSWERED', user_price: '0.1' }] }
  const consumer = queueConsumer({ ...world.services, openStore: () => store })
  await findSettings(store)

  let waited = 0
  const moved = await movedTo(world, 'Pacific/Auckland', async (ms) => {
    waited = ms
    expect(await consumer(queueEvent(message))).toEqual({ batchItemFailures: [] })
  })

  const [, limit] =
    /^ingest_calls:.*?timeout: (\d+)/ms.exec(readFileSync('infra/ingest-functions.yml', 'utf8')) ?? []
  expect(waited).toBeGreaterThan(Number(limit) * 1000)
  expect(moved).toBeGreaterThan(0)
  expect(await movedTo(world, 'Pacific/Auckland')).toBe(0)
})

test('once calls are stored, no other change of the zone is accepted', async () => {
  const world = await aWorldWithCalls('Europe/Vilnius')
  const wanted = { name: 'Timezone', value: 'Asia/Tokyo' }
  const set = carryOutAs(world.store, setSetting, { as: 'admin', now: world.now }, wanted)

  await expect(set).rejects.toMatchObject({ code: 'zone_with_calls' })
  await expect(world.given({ settings: [{ name: 'Timezone', value: 'Asia/Tokyo' }] })).rejects.toThrow(
    'Timezone remains Europe/Vilnius, since calls are counted by its days: they have to be recounted',
  )
  await world.given({ settings: [{ name: 'Timezone', value: 'Europe/Vilnius' }] })
})
