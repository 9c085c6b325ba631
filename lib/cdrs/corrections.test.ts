import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import { exportOf, importOf } from '#test/datasets/exported.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import {
  anOperator,
  CALL,
  csv,
  FIRST_CALL,
  INVOICE_OF_BOB,
  NOON,
  reasonsOf,
  revenue,
  send,
  stored,
} from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import type { CdrDocument } from './formats/formats.ts'

test.each([
  ['in one document', async (world: World) => send(world, csv([{}, { dst: '12025550172' }]))],
  ['in two documents at once', async (world: World) => send(world, csv([{}]), csv([{ dst: '12025550172' }]))],
  [
    'one after the other',
    async (world: World) => {
      await send(world, csv([{}]))
      return send(world, csv([{ dst: '12025550172' }]))
    },
  ],
])('two calls with one unique id: the first is stored, the second suspended; %s', async (_case, both) => {
  const world = await anOperator()

  await both(world)

  expect(await stored(world)).toEqual([FIRST_CALL])
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'id_used', dst: '12025550172' }])
  expect(await damageIn(world)).toEqual([])
})

test('two calls with one unique id in parallel: one is stored, the other suspended', async () => {
  const world = await anOperator()

  await Promise.all([send(world, csv([{}])), send(world, csv([{ dst: '12025550172' }]))])

  const [call] = await stored(world)
  const [entry] = await suspenseOf(world)
  expect([call?.dst, entry?.dst].sort()).toEqual(['12025550171', '12025550172'])
  expect(await reasonsOf(world)).toEqual(['id_used'])
})

test('unique id and part are compared separately, not as one text', async () => {
  const world = await anOperator()
  const asterisk = (uniqueid: string, sequence: string) =>
    JSON.stringify({ ...CALL, accountcode: 'bob', uniqueid, sequence })
  const text = [asterisk('23', '1'), asterisk('3', '12')].join('\n')

  expect(await send(world, { format: 'asterisk-json', text })).toMatchObject({ stored: 2 })
  expect([await stored(world, '23'), await stored(world, '3')]).toEqual([[FIRST_CALL], [FIRST_CALL]])
})

test('the dataset also keeps such two calls apart', async () => {
  const world = await anOperator()
  const row = {
    calldate: '2026-03-10 09:00:00',
    dst: '12025550171',
    billsec: '60',
    user_id: '10',
    source: 'gw',
  }
  await world.given({
    calls: [
      { ...row, uniqueid: '23', source_part: '1' },
      { ...row, uniqueid: '3', source_part: '12' },
    ],
  })

  expect([(await stored(world, '23')).length, (await stored(world, '3')).length]).toEqual([1, 1])
})

test.each<[string, string | Partial<CdrDocument>]>([
  ['the same document', csv([{}])],
  ['another order of columns', csv([{}], [...Object.keys(CALL).toReversed(), 'provider'])],
  ['the same line among others', csv([{ uniqueid: 'u2' }, {}])],
  ['as JSON', { format: 'asterisk-json', text: JSON.stringify({ ...CALL, accountcode: 'bob' }) }],
  ['in another zone', { zone: 'Europe/Vilnius', text: csv([{ start: '2026-03-10 11:00:00' }]) }],
])('a repeated call is a duplicate, even if its price has changed: %s', async (_case, again) => {
  const world = await anOperator()
  await send(world, csv([{}]))
  await world.given({ rates: [rate({ prefix: '1', tariff_rate: '9' })] })
  await world.given({ users: [{ ...people.find(({ id }) => id === '10'), username: 'robert', id: '10' }] })
  const before = await world.dump()

  expect(await send(world, again)).toMatchObject({ duplicate: 1, corrected: 0 })
  expect((await stored(world))[0]).toEqual(FIRST_CALL)
  expect((await world.dump()).filter(({ PK }) => PK === 'CALL#u1')).toEqual(
    before.filter(({ PK }) => PK === 'CALL#u1'),
  )
})

test('without a unique id the same call is a duplicate in any column order, another one is not', async () => {
  const world = await anOperator()
  await send(world, csv([{ uniqueid: '' }]))

  expect(await send(world, csv([{ uniqueid: '' }], Object.keys(CALL).toReversed()))).toMatchObject({
    duplicate: 1,
  })
  expect(await send(world, csv([{ uniqueid: '', billsec: '61' }]))).toMatchObject({ stored: 1 })
})

test('a correction replaces its call at the rate in force at its start, and moves the counters', async () => {
  const world = await anOperator()
  await send(world, csv([{}]))
  world.now = NOON
  await world.given({ rates: [rate({ prefix: '1', tariff_rate: '9' })] })

  expect(await send(world, csv([{ billsec: '70' }]))).toMatchObject({ corrected: 1, suspended: 0 })
  expect(await stored(world)).toEqual([{ ...FIRST_CALL, billsec: 70, user_price: '0.035', version: 2 }])
  expect(await revenue(world)).toBe('0.035')
  expect(await damageIn(world)).toEqual([])
})

test('a late redelivery of a corrected CDR changes nothing', async () => {
  const world = await anOperator()
  await send(world, csv([{}]))
  await send(world, csv([{ billsec: '65' }]))
  await send(world, csv([{ billsec: '70' }]))

  expect(await send(world, csv([{}]), csv([{ billsec: '65' }]))).toMatchObject({ duplicate: 2, corrected: 0 })
  expect(await stored(world)).toMatchObject([{ billsec: 70, version: 3 }])
})

test('of several versions in one document the last is stored, and all are duplicates later', async () => {
  const world = await anOperator()
  const document = csv([{}, { billsec: '65' }, { billsec: '70' }, {}])

  expect(await send(world, document)).toMatchObject({ stored: 1, corrected: 2, duplicate: 1 })
  expect(await stored(world)).toMatchObject([{ billsec: 70, version: 1 }])
  expect(await send(world, document)).toMatchObject({ duplicate: 4 })
})

test('a correction may move a call and its counters to another customer', async () => {
  const world = await anOperator()
  await send(world, csv([{}]))

  expect(await send(world, csv([{ account_code: 'carol' }]))).toMatchObject({ corrected: 1 })
  expect(await listCallsWithId(world.store, 'u1')).toMatchObject([{ user_id: 20, user_price: '0.03' }])
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['for the customer of the stored call', '10', {}],
  ['for the customer of the correction', '20', { account_code: 'carol' }],
])('a correction is suspended as invoiced %s', async (_case, user_id, change) => {
  const world = await anOperator()
  await send(world, csv([{}]))
  await world.given({ invoices: [{ ...INVOICE_OF_BOB, user_id }] })

  expect(await send(world, csv([{ billsec: '70', ...change }]))).toMatchObject({ suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'invoiced', detail: 'its day 2026-03-10 is on an invoice of a payer' },
  ])
  expect(await stored(world)).toEqual([FIRST_CALL])
})

test('a correction of a call that was stored with its prices is suspended as came_priced', async () => {
  const world = await anOperator()
  const call = { uniqueid: 'u1', calldate: '2026-03-10 09:00:00', dst: '12025550171', src: '37060000001' }
  const priced = {
    duration: '70',
    billsec: '60',
    disposition: 'ANSWERED',
    hangupcause: '16',
    user_price: '7',
  }
  await world.given({ calls: [{ ...call, ...priced, user_id: '10', source: 'gw' }] })

  expect(await send(world, csv([{ billsec: '70' }]))).toMatchObject({ suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'came_priced', detail: 'the stored call came with its prices' },
  ])
  expect(await send(world, csv([{}]))).toMatchObject({ duplicate: 1 })
})

test('a correction whose tariff version is removed is rated by the oldest that is kept', async () => {
  const world = await anOperator()
  await send(world, csv([{}]))
  for (let day = 1; day <= 12; day += 1) {
    world.now = new Date(Date.UTC(2027, 2 * day))
    await world.given({ rates: [rate({ prefix: '1', tariff_rate: `${day}` })] })
  }

  await send(world, csv([{ billsec: '70' }]))
  expect(await stored(world)).toMatchObject([{ billsec: 70, user_price: '3.5' }])
  expect(world.meter.noted).toMatchObject({ oldest_version: 1 })
})

test("an export has a call's digests: a late redelivery changes nothing in the new table", async () => {
  const world = await anOperator()
  await send(world, csv([{}]))
  await send(world, csv([{ billsec: '70' }]))

  const { folder } = await exportOf(world)
  const copy = await importOf(folder)

  expect(await send(copy, csv([{}]), csv([{ billsec: '70' }]))).toMatchObject({ duplicate: 2 })
  expect(await stored(copy)).toMatchObject([{ billsec: 70 }])
})

test('a document without a zone is in that of the installation', async () => {
  const world = await anOperator()
  await world.set({ Timezone: 'Europe/Vilnius' })

  expect(await send(world, { zone: '', text: csv([{}]) })).toMatchObject({ stored: 1 })
  expect(await send(world, { zone: 'Europe/Vilnius', text: csv([{}]) })).toMatchObject({ duplicate: 1 })
})

test('a CDR that comes again with the number that the carrier was shown is a duplicate, with or without an id', async () => {
  const world = await anOperator()
  const document = (uniqueid: string, shown: object) => ({
    format: 'asterisk-json' as const,
    text: JSON.stringify({ ...CALL, accountcode: 'bob', src: `1${uniqueid}`, uniqueid, ...shown }),
  })

  for (const id of ['7', '']) {
    expect(await send(world, document(id, {}))).toMatchObject({ stored: 1 })
    expect(await send(world, document(id, { carrier_src: '+4930123456' }))).toMatchObject({ duplicate: 1 })
  }
})

test('a call keeps the number that its carrier was shown, if it is not its own', async () => {
  const world = await anOperator()
  const text = (uniqueid: string, carrier_src: string) =>
    JSON.stringify({ ...CALL, src: '4930111111', accountcode: 'bob', uniqueid, carrier_src })
  const sent = [text('8', '+4930123456'), text('9', '+4930111111')].join('\n')

  await send(world, { format: 'asterisk-json', text: sent })

  expect((await listCallsWithId(world.store, '8'))[0]?.carrier_src).toBe('+4930123456')
  expect((await listCallsWithId(world.store, '9'))[0]?.carrier_src).toBeUndefined()
})
