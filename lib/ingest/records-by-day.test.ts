import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { listLocalCalls } from '#lib/calls/local-call.ts'
import { listQueueLog } from '#lib/calls/queue-log.ts'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

const localCall = {
  type: 'local_call',
  uniqueid: 'a',
  calldate: '2026-03-10 11:00:00',
  originator_user_id: 10,
  terminator_user_id: 20,
}
const entry = {
  type: 'queue_log',
  id: 1,
  time: '2026-03-10 11:00:00',
  call_id: 'c',
  event: 'ENTERQUEUE',
  data3: 1,
}

const aWorldOfPeople = () => aWorld({ users: people })

const counts = async ({ store }: World) => [
  (await listLocalCalls(store, { owner: 2 }, ALL_TIME)).about,
  (await listQueueLog(store, ALL_TIME)).about,
]

test('repeated messages, together and to several consumers, are stored once', async () => {
  const world = await aWorldOfPeople()
  const messages = [localCall, entry, { ...localCall, uniqueid: 'b' }, { ...entry, id: 2 }, localCall, entry]
  await Promise.all([consume(world, ...messages), consume(world, ...messages.toReversed())])
  await consume(world, ...messages)

  expect(await counts(world)).toEqual([2, 2])
})

test('an imported record that also comes as a message is stored once', async () => {
  const world = await aWorldOfPeople()
  const { type, ...row } = entry
  await world.given({ queue_log: [{ ...row, id: '1', data3: '1' }] })
  const before = await world.dump()

  expect(await consume(world, entry)).toEqual({ batchItemFailures: [] })
  expect(await world.dump()).toEqual(before)
})

test('a date without an offset counts in the zone of the installation', async () => {
  const world = await aWorldOfPeople()
  await world.set({ Timezone: 'America/New_York' })
  await consume(world, entry)
  const at = Date.UTC(2026, 2, 10, 15) / 1000

  expect((await listQueueLog(world.store, { from: at, till: at })).about).toBe(1)
  const { pages } = await listQueueLog(world.store, { from: at, till: at })
  expect((await pages.next()).value).toMatchObject([{ id: 1, time: at, data3: '1' }])
})

test.each([
  [
    'an unknown account',
    { ...localCall, terminator_user_id: 99 },
    'terminator_user_id: there is no account 99',
  ],
  [
    'no end',
    { type: 'local_call', uniqueid: 'x', calldate: '2026-03-10' },
    'takes an originator_user_id or a',
  ],
  [
    'an unique id that is too long',
    { ...localCall, uniqueid: 'x'.repeat(201) },
    'uniqueid takes: text of at most 200',
  ],
  ['an id past any number', { ...entry, id: '99999999999999999999' }, 'id takes: whole number from 0'],
  ['a date past 9999', { ...entry, time: '10000-01-01 00:00:00' }, 'time takes YYYY-MM-DD HH:MM:SS'],
  ['a text that is too long', { ...entry, data1: 'x'.repeat(4001) }, 'data1 is longer than 4000 characters'],
  ['invalid characters', { ...entry, data1: '\u0007' }, 'data1 has invalid characters'],
])(
  'a message with %s fails alone, and the log has the reason without its values',
  async (_case, message, reason) => {
    const world = await aWorldOfPeople()

    expect(await consume(world, message, localCall, entry)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    })
    expect(world.log[0]?.['reason']).toContain(reason)
    expect(world.log[0]?.['reason']).not.toContain(', not ')
    expect(await counts(world)).toEqual([1, 1])
  },
)
