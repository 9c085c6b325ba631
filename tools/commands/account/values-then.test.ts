import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { isChange, openRerater } from '#lib/calls/rating/rerating.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { retryEntries } from '#lib/cdrs/pipeline/retry.ts'
import { suspendedAfter } from '#lib/cdrs/suspense/suspense.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { csv, send } from '#test/mediation/csv-switch.ts'
import { newPlaces } from '#test/shards.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'
import { showAccount } from './account.ts'

const BOB = { ...people.find(({ id }) => id === '10'), tariff_id: '1' }

const IN_OCTOBER = { start: '2026-10-15 10:00:00' }
const LATE = { uniqueid: 'late', start: '2026-10-15 11:00:00' }
const IN_NOVEMBER = { start: '2026-11-15 10:00:00' }

/** Bob has tariff 1 in October. It is the third of November. */
async function inNovember(given: Parameters<World['given']>[0] = {}): Promise<World> {
  const world = await aWorld({}, { Timezone: 'Europe/Berlin' })
  await importRows(
    { store: world.store, clock: () => new Date('2026-09-01T00:00:00Z') },
    {
      users: people.map((person) => ({ ...person, tariff_id: '1' })),
      tariffs: ['1', '2', '3'].map((id) => ({ id, name: `Tariff ${id}`, owner_id: '0' })),
      rates: ['1', '2', '3'].map((id) => rate({ tariff_id: id, prefix: '1', tariff_rate: `0.0${id}` })),
      ...given,
    },
  )
  world.now = new Date('2026-11-03T09:00:00Z')
  return world
}

async function aPage(world: World) {
  const client = aConsoleClient(world)
  expect((await client.signIn('admin', 'password of admin')).status).toBe(200)
  return client
}

const edit = (world: World, values: Readonly<Record<string, string>>, word = 'bob') =>
  carryOutAs(
    world.store,
    recordActs('accounts').change,
    { as: 'admin', now: world.now },
    { id: word, ...values },
  ).catch((error: unknown) => {
    throw error instanceof Refusal ? refusedCommand(error) : error
  })

const methods = (await loadFunctionFiles()).map(({ method }) => method)

async function update(world: World, params: Readonly<Record<string, string>>) {
  const method = methods.find(({ name }) => name === 'user_details_update')
  if (!method) throw new Error('There is no method user_details_update')
  expect(await world.call(method, 'admin', { user_id: '10', ...params })).toContain('User updated')
}

const MOUTHS: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  ['the terminal', (world) => edit(world, { tariff_id: '2' })],
  ['the page', async (world) => (await aPage(world)).send('PUT', '/records/accounts/10', { tariff_id: '2' })],
  ['the API', (world) => update(world, { u5: '2' })],
  ['an import', (world) => world.given({ users: [{ ...BOB, tariff_id: '2' }] })],
]

const priceOf = async (world: World, uniqueid: string) =>
  callsIn(await world.dump()).find((call) => call.uniqueid === uniqueid)?.['user_price']

test.each(MOUTHS)(
  'after a change by %s, late and corrected CDRs have the tariff of their start',
  async (_, change) => {
    const world = await inNovember()
    await send(world, csv([{ ...IN_OCTOBER, uniqueid: 'on-time' }]))
    await change(world)
    world.now = new Date('2026-11-20T12:00:00Z')

    await send(
      world,
      csv([
        { ...IN_OCTOBER, uniqueid: 'on-time', billsec: '120', duration: '130' },
        LATE,
        { ...IN_NOVEMBER, uniqueid: 'later' },
      ]),
    )
    expect(await Promise.all(['on-time', 'late', 'later'].map((id) => priceOf(world, id)))).toEqual([
      '0.02',
      '0.01',
      '0.02',
    ])
    const days = await listCallDays(
      world.store,
      ['everyone'],
      { from: '2026-10-01', till: '2026-11-30' },
      newPlaces,
    )
    for (const version of ['active', 'as-of'] as const) {
      const rerate = await openRerater(world.store, {
        ...{ with: version, includeInvoiced: true, includePriced: true },
      })
      for await (const calls of listCalls(world.store, days, ALL_TIME))
        expect((await rerate(calls)).filter(isChange)).toEqual([])
    }
    expect(await damageIn(world)).toEqual([])
  },
)

test('a dated change holds from its midnight on, by the terminal and by the page, and can be cancelled', async () => {
  const world = await inNovember()
  const client = await aPage(world)
  await edit(world, { tariff_id: '2', vat_percent: '19', from: '2026-12-01' })
  expect(
    (await client.send('PUT', '/records/accounts/10', { tariff_id: '3', from: '2027-01-01' })).status,
  ).toBe(200)
  const tariff = async () => Object((await showAccount(world.store, 'bob', world.now)).json)['tariff']

  expect(await tariff()).toBe(1)
  expect((await showAccount(world.store, 'bob', world.now)).lines.slice(-5)).toEqual([
    'history: tariff_id 1 at first',
    'history: tariff_id 2 from 2026-12-01 00:00:00',
    'history: tariff_id 3 from 2027-01-01 00:00:00',
    'history: vat_percent none at first',
    'history: vat_percent 19 from 2026-12-01 00:00:00',
  ])
  world.now = new Date('2026-11-30T23:00:00Z')
  expect(await tariff()).toBe(2)
  const later = await aPage(world)
  const { body } = await later.get('/records/accounts/10')
  expect(body['record']).toMatchObject({ values: { tariff_id: '2', vat_percent: '19' } })
  const customer = await later.get('/customers/10')
  expect(customer.body).toMatchObject({ customer: { tariff: { id: 2 } } })
  await send(
    world,
    csv([
      { uniqueid: 'before', start: '2026-11-30 22:59:59' },
      { uniqueid: 'after', start: '2026-11-30 23:00:00' },
    ]),
  )
  expect([await priceOf(world, 'before'), await priceOf(world, 'after')]).toEqual(['0.01', '0.02'])

  await edit(world, { tariff_id: '2', from: '2027-01-01' })
  world.now = new Date('2027-02-01T00:00:00Z')
  expect(await tariff()).toBe(2)
  await edit(world, { phone: '123' })
  expect(await tariff()).toBe(2)
  expect(await damageIn(world)).toEqual([])
})

test('a forgotten change is dated back: what was stored since is rated again by it', async () => {
  const world = await inNovember()
  await send(world, csv([{ ...IN_OCTOBER, uniqueid: 'wrong' }]))
  await edit(world, { tariff_id: '2', from: '2026-10-01' })

  const rerate = await openRerater(world.store, {
    with: 'active',
    includeInvoiced: true,
    includePriced: false,
  })
  const days = await listCallDays(
    world.store,
    ['everyone'],
    { from: '2026-10-01', till: '2026-10-31' },
    newPlaces,
  )
  const [[verdict] = []] = await Array.fromAsync(listCalls(world.store, days, ALL_TIME), rerate)
  expect(verdict).toMatchObject({ before: { user_price: '0.01' }, after: { user_price: '0.02' } })
})

test('only tariff, VAT and currency of an account that is there have a day', async () => {
  const world = await inNovember()
  const client = await aPage(world)
  const from = '2026-12-01'

  await expect(edit(world, { phone: '1', tariff_id: '2', from })).rejects.toThrow(
    '--phone This changes at once',
  )
  await expect(edit(world, { owner_id: '2', from })).rejects.toThrow(
    '--from Name the tariff, VAT or currency',
  )
  await expect(edit(world, { tariff_id: '2', from: 'soon' })).rejects.toThrow('--from soon: write a day')
  expect(
    await client.send('POST', '/records/accounts', { username: 'anna', tariff_id: '1', from }),
  ).toMatchObject({
    status: 400,
  })
  await expect(world.given({ users: [{ ...BOB, from }] })).rejects.toThrow('from')
})

test('a suspended CDR that is retried has the tariff of its start, and the first tariff if it had none', async () => {
  const world = await inNovember({ users: people.map((one) => ({ ...one, tariff_id: '' })) })
  await send(world, csv([{ ...IN_OCTOBER, uniqueid: 'u1' }]))
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_rate' }])
  await edit(world, { tariff_id: '2' })
  world.now = new Date('2026-11-10T09:00:00Z')
  await edit(world, { tariff_id: '3' })

  const mediation = await openMediation(world.store, world.now)
  expect(await retryEntries(mediation, await suspendedAfter(world.store, '', 9))).toEqual({
    stored: 1,
    suspended: 0,
  })
  expect(await priceOf(world, 'u1')).toBe('0.02')
})

test('a call from before its customer moved to another owner is suspended, and a known one is corrected', async () => {
  const world = await inNovember()
  await send(world, csv([{ ...IN_OCTOBER, uniqueid: 'known' }]))
  await world.given({ users: [{ ...BOB, owner_id: '2' }] })
  world.now = new Date('2026-11-20T12:00:00Z')

  await send(
    world,
    csv([
      { ...IN_OCTOBER, uniqueid: 'known', billsec: '120', duration: '130' },
      LATE,
      { ...IN_NOVEMBER, uniqueid: 'new' },
    ]),
  )
  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'former_owner',
      detail: expect.stringContaining('belonged to account 0 then, and belongs to account 2'),
    },
  ])
  const calls = callsIn(await world.dump())
  expect(calls.map(({ uniqueid, owner_id, billsec }) => [uniqueid, owner_id, billsec]).sort()).toEqual([
    ['known', 0, 120],
    ['new', 2, 60],
  ])
  const row = { uniqueid: 'imported', calldate: IN_OCTOBER.start, user_id: '10', dst: '1', billsec: '60' }
  const plain = { ...row, src: '1', duration: '60', disposition: 'ANSWERED', hangupcause: '16' }
  await expect(world.given({ calls: [plain] })).rejects.toThrow('belonged to account 0')
  await world.given({ calls: [{ ...plain, owner_id: '0' }] })
  expect(callsIn(await world.dump())).toHaveLength(3)
  expect(await damageIn(world)).toEqual([])
})

test('a late CDR of an account with a history costs no read unit more', async () => {
  const units = async (change: (world: World) => Promise<unknown>) => {
    const world = await inNovember()
    await change(world)
    const before = world.meter.spent.read
    await send(world, csv([LATE]))
    return world.meter.spent.read - before
  }
  const plain = await units(async () => {})
  const changed = await units(async (world) => {
    for (const day of Array.from({ length: 28 }, (_, index) => String(index + 1).padStart(2, '0')))
      await edit(world, { tariff_id: Number(day) % 2 ? '2' : '3', from: `2027-01-${day}` })
  })
  expect(changed).toBe(plain)
})
