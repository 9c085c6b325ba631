import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArchiveBucket, folderBucket } from '#lib/calls/archive/bucket.ts'
import { openCallArchive } from '#lib/calls/archive/call-archive.ts'
import { rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { TableClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { carriedOut, forgotten } from '#test/acts/carry-out.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { callsIn } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { aRatedInstallation, MARCH, minuteOfBob, minuteRates, pricesIn } from '#test/examples/rated-calls.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { terminalUser } from '../../machine/terminal.ts'
import { forgetCalls, forgetNames } from './forget.ts'
import { listForgettings } from './forgetting-log.ts'

const DAYS = ['2026-03-04', '2026-03-05', '2026-03-09']

const SECRET = '37060011223'

const calls = DAYS.flatMap((day) =>
  ['10', '20'].map((user_id) =>
    listedCall(`${user_id}-${day}`, {
      calldate: `${day} 09:00:00`,
      user_id,
      device_id: `${user_id}0`,
      src: user_id === '10' ? SECRET : '20111',
      dst: user_id === '10' ? `${SECRET}9` : '20222',
      carrier_dst: user_id === '10' ? `${SECRET}9` : '',
      dialled_dst: user_id === '10' ? `9${SECRET}9` : '',
      user_price: '1.5',
    }),
  ),
)

/** Two days are archived, and one of them has left the table, too. */
async function aWorldToForget(): Promise<ArchivedWorld> {
  const world = await anArchivedWorld({ users: people, calls }, { Calls_Keep_Days: '5' })
  await world.archive()
  world.now = new Date(world.now.getTime() + 25 * 3_600_000)
  await world.expire()
  await world.given({ settings: [{ name: 'Calls_Keep_Days', value: '4' }] })
  await world.archive()
  return world
}

const forget = (world: ArchivedWorld, store: Store = world.store, bucket: ArchiveBucket = world.bucket) =>
  forgotten({ store, now: world.now }, 'bob', () => bucket)

const everything = async (world: ArchivedWorld): Promise<string> =>
  JSON.stringify([await world.dump(), await archived(world)])

const archived = async (world: ArchivedWorld) => (await Promise.all(DAYS.map(world.archivedCalls))).flat()

const sums = (world: ArchivedWorld) =>
  Promise.all(
    DAYS.map(async (day) => {
      const { everyone, owners, customers, charged } = (await world.manifest(day)) ?? {}
      return { everyone, owners, customers, charged }
    }),
  )

test("an account's numbers leave table and archive; sums, counters and other customers stay", async () => {
  const world = await aWorldToForget()
  const [sumsBefore, before] = [await sums(world), callsIn(await world.dump())]
  expect(before.map(({ day }) => day)).toContain('2026-03-09')

  expect(await forget(world)).toBe(3)

  expect(await everything(world)).not.toContain(SECRET)
  expect(await everything(world)).toContain('20111')
  expect(await sums(world)).toEqual(sumsBefore)
  expect(await archived(world)).toContainEqual(
    expect.objectContaining({ uniqueid: '10-2026-03-04', user_price: '1.5', src: '', dst: '' }),
  )
  expect(await damageIn(world)).toEqual([])
  expect(await listForgettings(world.store)).toMatchObject([
    { account: 10, who: terminalUser(), calls: 3, ended_at: world.now.toISOString() },
  ])
})

test('each call of the account is read and written once, and those of others are only listed', async () => {
  const month = (user_id: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      listedCall(`${user_id}-${index}`, {
        calldate: `2026-03-04 09:00:${String(index % 60).padStart(2, '0')}`,
        user_id,
        device_id: `${user_id}0`,
        src: SECRET,
      }),
    )
  const world = await anArchivedWorld(
    { users: people, calls: [...month('10', 20), ...month('20', 400)] },
    { Calls_Keep_Days: '3' },
  )
  await world.archive()
  const before = { ...world.meter.spent }

  expect(await forget(world)).toBe(20)

  const { read, write } = world.meter.spent
  expect(read - before.read).toBeLessThan(150)
  expect(write - before.write).toBeLessThan(20 * 16)
  expect(await damageIn(world)).toEqual([])
})

test('a second command finds nothing to erase, and a repeated row returns no number', async () => {
  const world = await aWorldToForget()
  await forget(world)

  expect(await forget(world)).toBe(0)
  await world.given({ calls })

  expect(await everything(world)).not.toContain(SECRET)
  expect(await damageIn(world)).toEqual([])
})

test('the names in internal calls are erased on the side of the account', async () => {
  const world = await aWorldToForget()
  const local_calls = [
    {
      uniqueid: 'internal-1',
      calldate: '2026-03-09 10:00:00',
      originator_user_id: '10',
      originator_device: 'SIP/bobs',
      originator_caller_id: 'Bob Brown',
      orignator_ip: '192.0.2.1',
      orignator_channel: 'SIP/bobs-1',
      terminator_user_id: '20',
      terminator_user: 'Carol',
      terminator_device: 'SIP/carols',
      terminator_ip: '192.0.2.2',
    },
  ]
  await world.given({ local_calls })

  expect(await forget(world)).toBe(4)
  await world.given({ local_calls })

  expect(await everything(world)).not.toMatch(/Bob Brown|SIP.bobs|192.0.2.1/)
  expect(await everything(world)).toMatch(/Carol.*192.0.2.2/)
  expect(await forget(world)).toBe(0)
  expect(await damageIn(world)).toEqual([])
})

test('the name of the account leaves the sums of days, and those of others stay', async () => {
  const world = await aWorldToForget()
  const settings = await settingsOf(world.store)
  await sumUpDays({ store: world.store, settings, now: world.now, hasTime: () => true })
  const summed = async () =>
    JSON.stringify((await world.dump()).filter(({ PK }) => PK.startsWith('DAYGROUPS')))
  expect(await summed()).toContain('Bob Brown')

  await forget(world)

  expect(await summed()).not.toContain('Bob Brown')
  expect(await summed()).toContain('account 10')
  expect(await summed()).toContain('carol')
  const done = await world.dump()
  await forgetNames(world.store, 10)
  expect(await world.dump()).toEqual(done)
})

test('re-rating leaves a call without numbers as it is', async () => {
  const world = await aRatedInstallation([minuteOfBob('numbers'), minuteOfBob('other', { user_id: '20' })])
  const before = await pricesIn(world)
  await forgotten(world, 'bob', () => folderBucket('/nowhere'))
  await world.given({ rates: minuteRates('9') })

  await carriedOut(world, rerateCalls(), MARCH)

  const after = await pricesIn(world)
  expect(after['numbers']).toEqual(before['numbers'])
  expect(after['other']).not.toEqual(before['other'])
})

test('without approval nothing is changed', async () => {
  const world = await aWorldToForget()
  const before = await world.dump()
  const clock = () => world.now
  const act = forgetCalls({ openBucket: () => world.bucket, clock, lock: async () => () => undefined })

  await expect(carriedOut(world, act, { account: '10' })).rejects.toMatchObject({
    code: 'forgets_numbers',
    values: { username: 'bob', calls: 3, days: { from: '2026-03-04', till: '2026-03-09' } },
  })
  expect(await world.dump()).toEqual(before)
})

class Killed extends Error {}

/** The table and the bucket of a process that is killed after a number of requests. */
function dying(world: ArchivedWorld, requests: number) {
  let left = requests
  const count = () => {
    left -= 1
    if (left < 0) throw new Killed()
  }
  const send = (...request: Parameters<TableClient['send']>) => {
    count()
    return world.table.client.send(...request)
  }
  const bucket: ArchiveBucket = {
    open: async (key) => {
      count()
      return world.bucket.open(key)
    },
    write: async (...object) => {
      count()
      const version = await world.bucket.write(...object)
      count()
      return version
    },
    remove: async (key) => {
      count()
      await world.bucket.remove(key)
    },
  }
  const archive = openCallArchive(bucket)
  const client = { send } as TableClient
  return { bucket, store: createStore({ ...world.table, client, meter: createMeter(), archive }) }
}

test('killed anywhere and run again, it keeps all sums, and in the end no number is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 4 }),
      async (kills) => {
        const world = await aWorldToForget()
        const before = await sums(world)
        for (const requests of kills) {
          const { store, bucket } = dying(world, requests)
          await forget(world, store, bucket).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
          })
          expect(await damageIn(world)).toEqual([])
        }

        await forget(world)

        expect(await everything(world)).not.toContain(SECRET)
        expect(await sums(world)).toEqual(before)
        expect(await damageIn(world)).toEqual([])
      },
    ),
    { numRuns: runs(6, 40) },
  )
})
