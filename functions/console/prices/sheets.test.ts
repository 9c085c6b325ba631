import { gzipSync } from 'node:zlib'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import type { MarkupAnswer, SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { aSignedClient, type ConsoleAnswer } from '#test/console/console-client.ts'
import { pricesOf } from '#test/datasets/tariff-rates.ts'
import { estates } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const TARIFF = 3010

const RATES = ['33 0.02', '34 0.03', '49 0.01'].map((row) => {
  const [prefix = '', tariff_rate = ''] = row.split(' ')
  return { tariff_id: String(TARIFF), prefix, tariff_rate, destination: `To ${prefix}` }
})

const CHANGES = 'Destination;Code;Rate;Status\nFrance;33;0,025;increase\nItaly;39;0,04;new\nSpain;34;;closed'

const MERGE = { profile: JSON.stringify({ mode: 'merge' }) }

async function aTariff(username = 'admin') {
  const world = await aWorld(estates)
  await world.given({ rates: RATES })
  const client = await aSignedClient(world, username)
  const upload = (file: Uint8Array | string, values = {}, tariff = TARIFF) =>
    client.upload(`/tariffs/${tariff}/sheet`, file, values)
  return { world, client, upload }
}

const sheetIn = ({ body }: ConsoleAnswer) => body as unknown as SheetAnswer

const messageOf = ({ status, body }: ConsoleAnswer) =>
  `${status} ${(body['error'] as { readonly message: string } | undefined)?.message}`

test('a sheet is asked about, previewed, and imported as it was previewed, once', async () => {
  const { world, upload } = await aTariff()
  const before = await world.dump()

  const asked = sheetIn(await upload(CHANGES))
  expect(asked).toMatchObject({ plan: null, questions: [{ about: 'mode', choices: ['replace', 'merge'] }] })
  const preview = sheetIn(await upload(gzipSync(CHANGES), MERGE))
  expect(preview).toMatchObject({
    questions: [],
    rates: 2,
    refused: 0,
    isWritten: 'no',
    plan: {
      ...{ added: 1, removed: 1, changed: 1, unchanged: 1, isCut: false, currency: 'USD', compared: 2 },
      removals: '1 of 3 prefixes would be removed, more than a tenth',
      rates: [
        { before: { perMinute: '0.02' }, after: { perMinute: '0.025', destination: 'France' } },
        { before: { perMinute: '0.03' }, after: null },
        { before: null, after: { prefix: '39' } },
      ],
    },
  })
  expect(preview.reading[0]).toBe('is read with delimiter ";", encoding utf-8, decimal comma')
  expect(await world.dump()).toEqual(before)

  const step = { ...MERGE, step: 'import', compared: 2 }
  expect(messageOf(await upload(CHANGES, step))).toBe(
    '409 Tariff 3010 is not switched: many rates are removed.',
  )
  const done = await upload(CHANGES, { ...step, allowRemovals: 'yes' })
  expect(sheetIn(done)).toMatchObject({ isWritten: 'written', plan: { added: 1, removed: 1, changed: 1 } })
  expect(await pricesOf(world, TARIFF)).toEqual(['33 0.025', '39 0.04', '49 0.01'])
  expect(messageOf(await upload(CHANGES, { ...step, allowRemovals: 'yes' }))).toMatch(
    /^409 Tariff 3010 has other rates than those that were compared, by .*: preview again\.$/,
  )
  expect(await listNewestLogEntries(world.store, 5)).toMatchObject([
    {
      who: 'admin',
      action:
        'imported a rate sheet of 2 rates into tariff 3010 "Tariff of-10": 1 rate added, 1 removed, 1 changed, 1 unchanged; 1 prefix raised (at most by 25 %, prefix 33)',
    },
  ])
  expect(await damageIn(world)).toEqual([])
})

test('refused rows are named, and left out only by agreement', async () => {
  const { world, upload } = await aTariff()
  const sheet = 'Code,Rate\n33,0.1\nxx,0.2\n39,0.05'
  const step = { ...MERGE, step: 'import', compared: 2 }

  expect(sheetIn(await upload(sheet, MERGE))).toMatchObject({
    refused: 1,
    refusedRows: [{ line: 3, reason: 'Code: "xx" is not a dial code' }],
  })
  expect(messageOf(await upload(sheet, step))).toBe(
    '409 Tariff 3010 is not switched: some rows of the sheet are refused.',
  )
  expect((await upload(sheet, { ...step, acceptRejected: 'yes' })).status).toBe(200)
  expect(await pricesOf(world, TARIFF)).toEqual(['33 0.1', '34 0.03', '39 0.05', '49 0.01'])
})

test('the answers for a sheet are kept for the next one of the tariff, until others are given', async () => {
  const { world, upload } = await aTariff()
  const columns = { prefix: 'Foo', tariff_rate: 'Bar' }
  const answers = { profile: JSON.stringify({ mode: 'merge', columns, decimal: 'comma' }) }
  const first = { ...answers, step: 'import', compared: 2 }
  expect(sheetIn(await upload('Foo,Bar\n33,"0,1"', first))).toMatchObject({
    isWritten: 'written',
    isKept: false,
  })

  const next = sheetIn(await upload('Foo,Bar\n39,"1,234"'))
  expect(next).toMatchObject({ questions: [], isKept: true, plan: { added: 1 } })
  expect(JSON.parse(next.profile)).toMatchObject({ mode: 'merge', columns, decimal: 'comma', delimiter: ',' })
  expect(sheetIn(await upload('X,Y\n39,1'))).toMatchObject({
    questions: [{ about: 'columns' }],
    isKept: true,
  })
  expect(sheetIn(await upload('Code,Rate\n39,1', { profile: '{}' }))).toMatchObject({
    questions: [{ about: 'mode' }],
    isKept: false,
  })
  const again = { ...MERGE, step: 'import', compared: 3 }
  await upload('Code,Rate\n39,1', again)
  expect(sheetIn(await upload('Code,Rate\n39,2')).isKept).toBe(true)
  expect(await damageIn(world)).toEqual([])
})

test('a workbook of two worksheets, unknown headings and words are asked about', async () => {
  const { upload } = await aTariff()
  const cover = { name: 'Cover', rows: [['Prices of Carrier'], ['valid from today']] }
  const rates = { name: 'Rates', rows: [['Code', 'Rate'], [33, 0.5]] } // biome-ignore format: a table
  const book = await writeXlsx({ sheets: [cover, rates] })
  const questionsOf = async (file: Uint8Array | string, profile: object) =>
    sheetIn(await upload(file, { profile: JSON.stringify(profile) })).questions

  expect(await questionsOf(book, { mode: 'merge' })).toMatchObject([
    { about: 'sheet', choices: ['Cover', 'Rates'] },
  ])
  expect(await questionsOf(book, { mode: 'merge', sheet: 'Rates' })).toEqual([])
  expect(await questionsOf('Foo,Bar\n33,0.1', {})).toMatchObject([
    { about: 'columns', words: ['Foo', 'Bar'] },
  ])
  const columns = { prefix: 'Foo', tariff_rate: 'Bar' }
  expect(await questionsOf('Foo,Bar\n33,0.1', { mode: 'merge', columns })).toEqual([])
  expect(await questionsOf('Code,Rate,Status\n33,0.1,frozen', {})).toMatchObject([
    { about: 'statuses', words: ['frozen'], choices: ['kept', 'ended', 'blocked'] },
  ])
})

test('what cannot be seen in a sheet is shown as its escape, and answered as it is', async () => {
  const { upload } = await aTariff()

  const { questions } = sheetIn(await upload('Code,Rate\n33,\u200e0.011', MERGE))

  expect(questions).toMatchObject([
    { about: 'notes', asks: expect.stringContaining(String.raw`"\u200e0.011" in line 2`), words: ['\u200e'] },
  ])
})

test('units, equal columns and what new prefixes have are asked about, and unsaid columns are kept', async () => {
  const { world, upload } = await aTariff()
  await world.given({
    rates: RATES.map((row, index) => ({ ...row, con_fee: `0.0${index}`, increment: '60' })),
  })
  const read = async (file: string, profile: object) =>
    sheetIn(await upload(file, { profile: JSON.stringify({ mode: 'merge', ...profile }) }))

  const sixes = await read('Code,Rate (per 6 sec)\n33,0.01', {})
  expect(sixes.questions).toMatchObject([{ about: 'rate_factor', choices: ['1', '0.01', '60', '10'] }])
  const twice = await read('Code,Rate,Rate\n33,0.01,0.02', {})
  expect(twice.questions).toMatchObject([{ about: 'columns.tariff_rate', choices: ['#2', '#3'] }])
  const fresh = 'Code,Rate\n34,0.04\n39,0.05'
  expect((await read(fresh, {})).questions).toMatchObject([
    { about: 'fee_of_new', choices: ['0', '0.01', '0.02'] },
  ])
  expect((await read(fresh, { fee_of_new: '0.5' })).plan?.rates).toMatchObject([
    { after: { prefix: '34', fee: '0.01', increment: 60 } },
    { after: { prefix: '39', fee: '0.5', increment: 60 } },
  ])
})

test('hours without a price stand in the plan, and need an agreement', async () => {
  const { upload } = await aTariff()
  const hours = 'Code,Rate,Start Time,End Time,Day Type,Increment\n44,0.1,08:00,20:00,Weekday,1/1\n'
  const { plan } = sheetIn(await upload(hours, MERGE))
  expect(plan?.gaps).toContain('44 has no price on Mon 00:00:00-07:59:59')
  const compared = String(plan?.compared)
  expect(messageOf(await upload(hours, { ...MERGE, step: 'import', compared }))).toBe(
    '409 Tariff 3010 is not switched: hours of the week have no price, or two.',
  )
  expect(
    sheetIn(await upload(hours, { ...MERGE, step: 'import', compared, withGaps: 'yes' })).isWritten,
  ).toBe('written')
})

test.each([
  ['nothing', '', 'The sheet is empty.'],
  ['a PDF', '%PDF-1.7\n1 0 obj', 'The sheet is a PDF: save it as .xlsx or CSV in a spreadsheet.'],
  ['an image', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'The sheet is an image: save it'],
  ['a web page', '<html><table><tr><td>Code', 'The sheet is a web page (HTML or XML): save it'],
  [
    'half a workbook',
    Buffer.from('504b0304140000000800', 'hex'),
    'The file is damaged: it is not a whole zip',
  ],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'The sheet is an .xls, or has a password'],
  ['half a package', gzipSync(CHANGES).subarray(0, 30), 'The sheet is damaged, or has more than 30 MB'],
  ['a bomb', gzipSync(Buffer.alloc(30_000_001, 'x')), 'The sheet is damaged, or has more than 30 MB'],
])('%s is refused with a remedy', async (_name, file, message) => {
  const { upload } = await aTariff()

  const answer = await upload(file, MERGE)

  expect([answer.status, messageOf(answer)]).toEqual([422, expect.stringContaining(message)])
})

test('a file that is too large, a wrong answer and a tariff of others are refused', async () => {
  const { upload } = await aTariff('rick')

  expect(messageOf(await upload(Buffer.alloc(4_000_001), MERGE))).toBe('422 The file has more than 4 MB.')
  expect(messageOf(await upload(CHANGES, { profile: '{"mode":"half"}' }, 3020))).toContain(
    'The profile: mode',
  )
  expect((await upload(CHANGES, MERGE)).status).toBe(404)
  expect(
    (await upload(CHANGES, { ...MERGE, step: 'import', allowRemovals: 'yes', compared: 1 }, 3020)).status,
  ).toBe(200)
})

test('rates follow from costs by percent, amount and least margin, in the currency that sells', async () => {
  const world = await aWorld({
    ...estates,
    tariffs: [...(estates.tariffs ?? []), { id: '7', owner_id: '0', name: 'Carrier', currency: 'EUR' }],
  })
  const cost = (prefix: string, tariff_rate: string, more = {}) => ({
    tariff_id: '7',
    prefix,
    tariff_rate,
    ...more,
  })
  await world.given({
    rates: [
      ...RATES,
      cost('33', '0.09', { con_fee: '0.9', increment: '60', destination: 'France' }),
      cost('331', '0.009'),
      cost('34', '0.4', { effective_from: '2026-01-01 00:00:00' }),
      cost('34', '0.36', { effective_from: '2026-02-01 00:00:00' }),
      cost('34', '0.45', { effective_from: '2027-01-01 00:00:00' }),
      cost('35', 'blocked'),
    ],
  })
  const client = await aSignedClient(world, 'admin')
  const mark = (values: object) =>
    client.send('POST', `/tariffs/${TARIFF}/markup`, { from: 7, percent: 20, least: '0.005', ...values })
  const before = await world.dump()

  const preview = (await mark({})).body as unknown as MarkupAnswer
  expect(preview).toMatchObject({
    rates: 5,
    isWritten: 'no',
    plan: { currency: 'USD', compared: 2, removals: null },
  })
  expect(await world.dump()).toEqual(before)
  expect(messageOf(await mark({ step: 'write', compared: 1 }))).toContain('preview again')
  expect((await mark({ step: 'write', compared: 2 })).body).toMatchObject({ isWritten: 'written' })
  expect(await pricesOf(world, TARIFF)).toEqual(
    // 0.36 EUR are 0.4 USD, and 0.48 with 20 percent; 0.009 EUR are 0.01 USD, which need 0.015.
    ['33 0.12', '331 0.015', '34 0.03', '34 0.48', '34 0.6', '35 -1', '49 0.01'],
  )
  await mark({
    step: 'write',
    compared: 3,
    percent: '0',
    amount: '0.00001',
    decimals: 3,
    prefix: '+331',
    least: '',
  })
  expect((await pricesOf(world, TARIFF)).slice(0, 2)).toEqual(['33 0.12', '331 0.011'])
  expect(messageOf(await mark({ mode: 'replace', prefix: '331', step: 'write', compared: 4 }))).toBe(
    '409 Tariff 3010 is not switched: many rates are removed.',
  )
  expect(await damageIn(world)).toEqual([])
})

test.each([
  [{ from: '' }, 'from is missing'],
  [{ from: TARIFF }, 'A tariff cannot be its own cost'],
  [{ from: 99 }, 'There is no tariff 99'],
  [{ percent: '-5' }, 'percent is "-5", expected decimal number from 0'],
  [{ decimals: 11 }, 'decimals is 11: it takes 0 to 10'],
  [{ prefix: '999' }, 'Tariff 3020 has no rates of 999'],
])('a markup of %j is refused', async (values, message) => {
  const { client } = await aTariff()

  const answer = await client.send('POST', `/tariffs/${TARIFF}/markup`, { from: 3020, ...values })

  expect(messageOf(answer)).toContain(message)
})

test('origins are previewed, set in a version of the tariff, and listed', async () => {
  const { world, client } = await aTariff()
  const set = (file: string, values = {}) => client.upload(`/tariffs/${TARIFF}/origins`, file, values)
  const before = await world.dump()

  const preview = await set('Origin;Codes\nEEA;49, 33\nNAF;212')
  expect(preview.body).toMatchObject({
    isWritten: 'no',
    plan: { compared: 2, summary: 'Prefixes of callers: EEA: 2 added; NAF: 1 added', changed: 0 },
  })
  expect(await world.dump()).toEqual(before)
  const rows = 'Origin;Codes\nEEA;49, 33\nNAF;212'
  expect(messageOf(await set(rows, { step: 'write', compared: 1 }))).toMatch(/^409 /)
  expect((await set(rows, { step: 'write', compared: 2 })).body).toMatchObject({ isWritten: 'written' })

  expect(await listNewestLogEntries(world.store, 1)).toMatchObject([
    {
      who: 'admin',
      action: expect.stringContaining(
        'set origins (Prefixes of callers: EEA: 2 added; NAF: 1 added) of tariff 3010 ',
      ),
    },
  ])

  await set('origin,prefix\nEEA,34', { step: 'write', compared: 3 })
  expect((await client.get(`/tariffs/${TARIFF}/origins`)).body).toEqual({
    origins: [
      { name: 'EEA', count: 1, prefixes: ['34'] },
      { name: 'NAF', count: 1, prefixes: ['212'] },
    ],
  })
  expect((await client.get(`/tariffs/${TARIFF}`)).body).toMatchObject({ hasOrigins: true })
  await world.given({ rates: [...RATES, { ...RATES[0], origin: 'NAF', tariff_rate: '0.5' }] })
  expect(messageOf(await set('origin,prefix\nEEA,34', { mode: 'replace' }))).toMatch(
    /^422 Tariff 3010: the rate of 33 has the unknown origin "NAF"/,
  )
  expect(messageOf(await set('prefix,rate\n49,1'))).toMatch(/^422 The file lists no origins/)
  expect(await damageIn(world)).toEqual([])
})
