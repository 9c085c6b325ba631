import { describe, expect, test } from 'vitest'
import { BY_MONTH_FROM } from '#lib/base/shards.ts'
import { firstFreeDay } from '#lib/calls/setting-change.ts'
import { listDevicesAt } from '#lib/devices/device-stored.ts'
import { type Did, dids } from '#lib/devices/did.ts'
import { resolveProviders } from '#lib/rates/provider.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { id, optional, requiredText } from '#lib/table/columns.ts'
import { defineEntity, type Entity } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { deviceKey, didKey, keyForm, keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { requireFormat, TABLE_FORMAT } from '#lib/table/table-format.ts'
import { people } from '#test/examples/examples.ts'
import { aFailingClient, type MishapName } from '#test/faults/faulty-endpoint.ts'
import { consume } from '#test/queue/queue.ts'
import { readFixture } from '#test/releases/fixture.ts'
import { putLines } from '#test/releases/fixture-table.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import { findMigration, migrationKey, newStamp } from '../../command-line/migration-progress.ts'
import { listDidsOf } from '../account/account.ts'
import { createPace } from './migrate.ts'

const FORMAT_1 = { table_format: 1, table_release: '1.0.0' }

/** A table as release 1.0.0 wrote it: the items whose lines are `wanted`. */
async function aTableOf1_0_0(wanted = /./): Promise<World> {
  const world = await aWorld()
  await putLines(
    world.table,
    readFixture('1.0.0').lines.filter((line) => wanted.test(line)),
  )
  return world
}

/** Settings and DIDs. */
const FEW = /"PK":\{"S":"(SETTINGS"\},.*"SK":\{"S":"SETTINGS"|DID#)/

/** `sentences` are those about rows that could not be migrated. */
async function migrate(world: World, given: Parameters<typeof migrated>[1] = {}) {
  const sentences: string[] = []
  const onNote = (sentence: string) => void sentences.push(sentence)
  return { ...(await migrated(world, { pageSize: 40, onNote, ...given })), sentences }
}

const CUSTOMERS = [0, 10, 20, 21, 30, 40, 5]

const didsOf = (store: Store) => Promise.all(CUSTOMERS.map((user) => listDidsOf(store, user)))

const numbersOf = async (store: Store) => (await didsOf(store)).map((list) => list.map(({ did }) => did))

const setFormat1 = ({ store }: World) => store.update(settingsKey, { set: FORMAT_1 })

/** The table without the stamp, the log and the progress. */
const rowsIn = async (world: World) =>
  (await world.dump()).filter(({ PK }) => !['SETTINGS', 'MIGRATION'].includes(PK))

test.each([
  ['2099-05-05 12:00:00', '2099-05-06', ['a future day']],
  ['2026-03-10 11:00:00', undefined, []],
])(
  'a table with calls of %s lists later ones by month, and tells of a future day',
  async (date, from, told) => {
    const world = await aWorld({ users: people })
    await consume(world, {
      type: 'calls',
      records: [
        {
          ...{ uniqueid: 'a', calldate: date, user_id: '10', src: '1', dst: '2' },
          ...{ disposition: 'ANSWERED', duration: '60', billsec: '60' },
        },
      ],
    })
    await world.store.update(settingsKey, {
      set: { table_format: TABLE_FORMAT - 1, [BY_MONTH_FROM]: undefined },
    })
    const { sentences } = await migrate(world)
    const { byMonthFrom } = await settingsOf(world.store)
    expect(byMonthFrom).toBe(from ?? firstFreeDay('UTC'))
    expect(sentences.filter((one) => one.includes('by month'))).toEqual(
      told.map((one) => expect.stringContaining(one)),
    )
  },
)

test('a table of format 3 finds an address by its spelling alone, and any spelling after it is migrated', async () => {
  const spelled = '2001:0DB8::4'
  const world = await aWorld({
    users: people,
    devices: [{ id: '1', user_id: '10', name: 'trunk', authentication: 'ip', ipaddr: spelled }],
    providers: [{ id: '1', name: 'Potomac', addresses: spelled }],
  })
  const present = await rowsIn(world)
  const [normal, others] = ['2001:db8::4', [spelled, '2001:0db8::4', '2001:db8:0::4']]
  await world.store.transact(
    present.filter(({ PK }) => String(PK).endsWith(`IP#${normal}`)).map((item) => ({ remove: keyIn(item) })),
  )
  await world.store.update(settingsKey, { set: { table_format: 3 } })
  const found = async () => {
    const foundAt = async (address: string) => {
      const hints = { in: { names: [], addresses: [address], channels: [] } }
      const carrier = { ...hints, out: hints.in }
      const providers = await resolveProviders(world.store, [carrier])
      return [(await listDevicesAt(world.store, address)).length, providers.get(carrier)?.provider_id]
    }
    return Promise.all([normal, ...others].map(foundAt))
  }

  const [no, yes] = [
    [0, undefined],
    [1, 1],
  ]
  expect(await found()).toEqual([no, yes, yes, no])
  expect(await damageIn(world)).toEqual([])
  expect(await migrate(world)).toMatchObject({ sentences: [] })
  expect(await found()).toEqual([yes, yes, yes, yes])
  expect(await rowsIn(world)).toEqual(present)
})

describe('a table of format 2, whose names are texts of each owner', () => {
  async function aTableOfFormat2() {
    const world = await aWorld({ users: people })
    const present = await rowsIn(world)
    const texts = present.filter(({ PK }) => String(PK).startsWith('ACCOUNTS#EVERYONE#'))
    for (const { PK, SK, ...text } of texts) {
      const under = (part: string) => String(PK).replace('#EVERYONE#', part)
      const former = { ...text, PK: under('#0#'), SK, GSI1PK: under('#'), GSI1SK: SK }
      await world.store.transact([{ remove: keyIn({ PK, SK }) }, { put: former }])
    }
    await world.store.update(settingsKey, { set: { table_format: 2 } })
    return { world, present, texts: texts.length }
  }

  test('is sound, and migrated as if it had been stored by this release', async () => {
    const { world, present, texts } = await aTableOfFormat2()
    expect(texts).toBeGreaterThan(0)
    expect(await damageIn(world)).toEqual([])

    expect(await migrate(world)).toMatchObject({ from: 2, added: texts, removed: texts, sentences: [] })

    expect(await rowsIn(world)).toEqual(present)
    expect(await damageIn(world)).toEqual([])
  })

  test('a former text in a migrated table is damage', async () => {
    const { world } = await aTableOfFormat2()
    await world.store.update(settingsKey, { set: newStamp })

    expect((await damageIn(world)).join()).toMatch(/ACCOUNTS#0#.* is nothing that this version stores/)
  })
})

describe('the table of 1.0.0', () => {
  test('is sound before and after, and the DIDs of a customer are read in one query afterwards', async () => {
    const world = await aTableOf1_0_0()
    const before = await numbersOf(world.store)
    expect(await damageIn(world)).toEqual([])

    const { added, ...migrated } = await migrate(world)

    expect(migrated).toMatchObject({ from: 1, to: TABLE_FORMAT, removed: 0, sentences: [] })
    expect(added).toBeGreaterThanOrEqual(before.flat().length)

    expect(await numbersOf(world.store)).toEqual(before)
    expect(before.flat()).toHaveLength(7)
    expect(await world.store.get(settingsKey)).toMatchObject(newStamp)
    expect(await damageIn(world)).toEqual([])
  })

  test('a migrated table that lacks an entry is damaged', async () => {
    const world = await aTableOf1_0_0()
    await migrate(world)
    const entry = { PK: 'USER#10', SK: 'DID#000000000000002' }
    expect(await world.store.get(entry)).toMatchObject({ did: '12025550130' })

    await world.store.transact([{ remove: entry }])

    expect(await damageIn(world)).toEqual([expect.stringContaining('does not lead to DID 2')])
  })

  test('is the same after a second migration, and a migrated table has nothing to do', async () => {
    const world = await aTableOf1_0_0()
    await migrate(world)
    const once = await rowsIn(world)

    expect(await migrate(world)).toMatchObject({ from: TABLE_FORMAT, items: 0, added: 0 })
    await setFormat1(world)
    expect(await migrate(world)).toMatchObject({ from: 1, added: 0, removed: 0 })

    expect(await rowsIn(world)).toEqual(once)
  })

  test('a dry run counts what a migration does, and writes nothing', async () => {
    const world = await aTableOf1_0_0()
    const before = await world.dump()

    const { items, added } = await toMigrate(world, { onNote: () => {} })

    expect(await world.dump()).toEqual(before)
    expect(items).toBe(before.length)
    expect(await migrate(world)).toMatchObject({ added })
  })

  test('entries that an earlier release left behind are replaced or removed', async () => {
    const world = await aTableOf1_0_0()
    await migrate(world)
    const moved = didKey(2)
    const gone = didKey(3)

    await setFormat1(world)
    await world.store.update(moved, { set: { user_id: 20 }, add: { version: 1 } })
    await world.store.update(didKey(4), { set: { status: 'closed' }, add: { version: 1 } })
    await world.store.transact([
      { remove: gone },
      { remove: { PK: 'DIDNUMBER#12025550140', SK: 'DIDNUMBER' } },
      { update: deviceKey(20), to: { add: { did_count: -1, version: 1 } } },
    ])

    expect(await migrate(world)).toMatchObject({ added: 2, removed: 2, sentences: [] })
    expect(await listDidsOf(world.store, 10)).toEqual([])
    expect(await listDidsOf(world.store, 20)).toMatchObject([{ id: 2 }])
    expect(await listDidsOf(world.store, 21)).toMatchObject([{ id: 4, status: 'closed' }])
    expect(await damageIn(world)).toEqual([])
  })
})

const FAULTS: readonly MishapName[] = ['dropped before it arrived', 'answer lost', 'throttled']

/** A store and table whose client repeats no request, and whose request of this number fails. */
const failingAt = async (world: World, number: number, fault: MishapName): Promise<World> => {
  const client = await aFailingClient([...Array(number), fault])
  return { ...withClient(world, client), table: { ...world.table, client } }
}

/** A night ends a migration at each of its requests, a test at every fourth. */
const STEP = process.env['TOLLGATE_NIGHT'] ? 1 : 4

test.each(FAULTS)('ended at its requests (%s) and run again, it gives the same table', async (fault) => {
  const whole = await aTableOf1_0_0(FEW)
  await migrate(whole, { pageSize: 4 })
  const expected = await rowsIn(whole)
  const world = await aTableOf1_0_0(FEW)
  const beginning = await world.dump()

  let failed = 0
  for (let isEnded = true, number = 0; isEnded; number += STEP) {
    await putBack(world, beginning)
    isEnded = await migrate(await failingAt(world, number, fault), { pageSize: 4 }).then(
      () => false,
      () => true,
    )
    if (isEnded) failed += 1
    await migrate(world, { pageSize: 4 })
    expect(await rowsIn(world)).toEqual(expected)
    expect(await world.store.get(settingsKey)).toMatchObject(newStamp)
  }

  expect(failed * STEP).toBeGreaterThan(10)
})

/** Removes what a migration wrote. */
async function putBack(world: World, beginning: readonly { readonly PK: string; readonly SK: string }[]) {
  const keys = new Set(beginning.map(({ PK, SK }) => `${PK} ${SK}`))
  for (const { PK, SK } of await world.dump())
    if (!keys.has(`${PK} ${SK}`)) await world.store.transact([{ remove: { PK, SK } }])
  await setFormat1(world)
}

test('an ended migration resumes after the last page, and adds up what both runs did', async () => {
  const world = await aTableOf1_0_0()
  const pages: number[] = []
  const interrupted = migrate(world, {
    pageSize: 100,
    pace: async () => {
      if (pages.push(1) === 3) throw new Error('killed')
    },
  })
  await expect(interrupted).rejects.toThrow('killed')
  const stored = await findMigration(world.store)

  const { items } = await migrate(world, { pageSize: 100, pace: async () => void pages.push(1) })

  expect(stored).toMatchObject({ to: TABLE_FORMAT, items: 300 })
  expect(pages).toHaveLength(Math.ceil(items / 100))
  expect(items).toBeGreaterThanOrEqual(607)
  expect(await world.store.get(migrationKey)).toBeUndefined()
  const logged = (await listAuditLog(world.store)).map((entry) => ('action' in entry ? entry.action : ''))
  const words = `migrated the table from format 1 to ${TABLE_FORMAT}`
  expect(logged.filter((action) => action.startsWith(words)).sort()).toEqual([
    words,
    `${words} (interrupted)`,
  ])
})

/** The DID that a location rule of the table names. */
const NAMED_BY_A_RULE = 9

/** Creates, moves and deletes DIDs like this release, in sequence. Returns the stored changes. */
async function changeDids({ store }: World, seed: number): Promise<number> {
  let stored = 0
  for (let step = 0; step < 40; step += 1) {
    const did = 1 + ((step * 7 + seed) % 12)
    const user_id = [10, 20, 40, undefined][(step + seed) % 4]
    const before = await dids.find(store, did)
    const after: Did = {
      provider_id: undefined,
      status: undefined,
      owner_id: 0,
      did: `120255570${10 + did}`,
      ...before,
      id: did,
      user_id,
      device_id: before?.device_id,
    }
    const mayGo = before && !before.device_id && did !== NAMED_BY_A_RULE
    const change = changesOf(dids, before, mayGo && step % 5 === 0 ? undefined : after)
    stored += await store.transact(change).then(
      () => 1,
      () => 0,
    )
  }
  return stored
}

test('others create, move and delete DIDs while a table is migrated', async () => {
  const world = await aTableOf1_0_0()
  const everyone = () => Promise.all([...CUSTOMERS, 11].map((user) => listDidsOf(world.store, user)))
  const ids = (lists: readonly (readonly { readonly id: number }[])[]) =>
    lists.map((list) => list.map((one) => one.id))

  const [migrated, ...changes] = await Promise.all([
    migrate(world, { pageSize: 15 }),
    ...[1, 2, 3].map((seed) => changeDids(world, seed)),
  ])

  expect(migrated.sentences).toEqual([])
  expect(Math.min(...changes)).toBeGreaterThan(5)
  expect(await damageIn(world)).toEqual([])
  const listed = ids(await everyone())
  await setFormat1(world)
  expect(listed).toEqual(ids(await everyone()))
})

/** A clock that only waiting moves. */
function aClock() {
  let now = 0
  return {
    now: () => now,
    wait: async (milliseconds: number) => {
      now += milliseconds
    },
  }
}

test.each([20, 200])('it spends no more than %i units a second, and one page', async (unitsPerSecond) => {
  const world = await aTableOf1_0_0()
  const { meter } = world.store
  const clock = aClock()
  const begun = meter.spent.read + meter.spent.write
  const spent = () => meter.spent.read + meter.spent.write - begun
  const perPage: number[] = []
  let last = 0
  const pace = createPace(meter, unitsPerSecond, clock)

  await migrate(world, {
    pageSize: 20,
    pace: async () => {
      perPage.push(spent() - last)
      last = spent()
      await pace()
      expect(spent()).toBeLessThanOrEqual((unitsPerSecond * clock.now()) / 1000 + 1e-6)
    },
  })

  expect(clock.now()).toBeGreaterThan(0)
  expect(Math.max(...perPage)).toBeLessThan(500)
})

test('a slow table is not credit for a burst', async () => {
  const meter = { spent: { read: 0, write: 0, roundTrips: 0, requests: 0 } }
  const clock = aClock()
  const pace = createPace(meter, 10, clock)

  await clock.wait(60_000)
  meter.spent.read = 10
  await pace()
  expect(clock.now()).toBe(60_000)
  meter.spent.write = 20
  await pace()
  expect(clock.now()).toBe(62_000)
})

describe('an entity with a new list and a new claim', () => {
  const columns = { id, name: requiredText, mail: optional(requiredText) }
  const declaration = { name: 'thing', columns, key: keyForm('THING#<id>', 'THING') }
  const mailKey = keyForm('THINGMAIL#<mail>', 'THINGMAIL')
  const before = defineEntity(declaration)
  const things = defineEntity({
    ...declaration,
    list: keyForm('THINGS', '<id>'),
    listedSince: 2,
    claims: [{ key: mailKey, of: ({ mail }) => (mail === undefined ? [] : [{ mail }]), since: 2 }],
  })
  const of = [things] as unknown as readonly Entity[]

  async function aTableWith(...mails: readonly (string | undefined)[]) {
    const world = await aWorld()
    await setFormat1(world)
    for (const [index, mail] of mails.entries())
      await world.store.transact(
        changesOf(before, undefined, { id: index + 1, name: `thing ${index + 1}`, mail }),
      )
    return world
  }

  const listed = async ({ store }: World) =>
    (await store.list({ index: 'GSI1', partition: 'THINGS' })).map(({ id: thing }) => thing)

  test('lists every row and claims its key', async () => {
    const world = await aTableWith('a@example.com', undefined, 'c@example.com')

    expect(await migrate(world, { of })).toMatchObject({ added: 2, listed: 3, sentences: [] })

    expect(await listed(world)).toEqual([1, 2, 3])
    expect(await world.store.get(mailKey('c@example.com'))).toMatchObject({ id: 3 })
    await expect(
      world.store.transact(changesOf(things, undefined, { id: 9, name: 'other', mail: 'a@example.com' })),
    ).rejects.toThrow('did not hold')
  })

  test('two rows with one claim are a problem, and the format stays until one changes', async () => {
    const world = await aTableWith('a@example.com', 'a@example.com')

    const { sentences } = await migrate(world, { of })

    expect(sentences).toEqual([
      expect.stringMatching(
        /^thing \d and thing \d both have THINGMAIL#a@example.com: change one of them and run this again\.$/,
      ),
    ])
    const settings = await world.store.get(settingsKey)
    expect(settings).toMatchObject(FORMAT_1)
    expect(() => requireFormat(settings)).not.toThrow()

    const second = await things.find(world.store, 2)
    const holder = await world.store.get(mailKey('a@example.com'))
    const loser = holder?.['id'] === 2 ? await things.find(world.store, 1) : second
    await world.store.update(declaration.key(loser?.id ?? 0), {
      set: { mail: 'b@example.com' },
      add: { version: 1 },
    })
    expect(await migrate(world, { of })).toMatchObject({ added: 1, sentences: [] })
    expect(await world.store.get(settingsKey)).toMatchObject(newStamp)
  })

  test('a key that a row gave up goes to the row that has it now', async () => {
    const world = await aTableWith('a@example.com', 'b@example.com')
    await migrate(world, { of })
    await setFormat1(world)
    await world.store.update(declaration.key(1), { set: { mail: 'b@example.com' }, add: { version: 1 } })
    await world.store.update(declaration.key(2), { set: { mail: 'a@example.com' }, add: { version: 1 } })

    expect(await migrate(world, { of })).toMatchObject({ sentences: [] })

    expect(await world.store.get(mailKey('a@example.com'))).toMatchObject({ id: 2 })
    expect(await world.store.get(mailKey('b@example.com'))).toMatchObject({ id: 1 })
  })

  test('a row that cannot be read is a problem', async () => {
    const world = await aTableWith('a@example.com')
    await world.store.update(declaration.key(1), { set: { name: undefined } })

    expect((await migrate(world, { of })).sentences).toEqual([
      'THING#1 THING cannot be read: npx tollgate check-data says why.',
    ])
  })
})
