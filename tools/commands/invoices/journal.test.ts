import { expect, test } from 'vitest'
import { add, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { rendered } from '#lib/invoicing/documents/rendered.ts'
import { DATEV_COLUMNS, datevBatch } from '#lib/invoicing/journal/datev.ts'
import { type NumberedEntry, readEntry } from '#lib/invoicing/journal/entry.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { ROW } from '#lib/table/table.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { openJournal } from './documents-tool.ts'

const settings = {
  Journal_Revenue: 'calls=8401,fees=8402,/0=8336,8400',
  Journal_VAT: '21=1776,1770',
  Journal_Bank: 'cash=1000, 1200',
  Seller_Name: 'Northwind',
}

const line = { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' }

/** The hash of `password`. */
const password_hash = '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'

/** An invoice with calls and a fee, one in yen without VAT; a payment of each, one taken back; a goodwill. */
async function aBookedMonth() {
  const yen = { currency: 'JPY', vat_percent: '', username: '=1+1', postpaid: '1' }
  const world = await aBilledWorld(
    {
      users: [{ ...admin, password_hash }, person(10, { username: 'carol' }), person(12, yen)],
      currencies: [{ name: 'JPY', exchange_rate: '163.27' }],
      calls: [aCall(10, '2026-05-03 10:00:00', '1.005'), aCall(12, '2026-05-04 10:00:00', '2')],
      services: [line],
      subscriptions: [{ id: '1', user_id: '10', service_id: '1', from: '2026-05-01 00:00:00' }],
    },
    { Charges_From: '2026-05-01', ...settings },
  )
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  return world
}

const text = async (pieces: AsyncIterable<string | Uint8Array>, encoding = 'utf-8') =>
  (await Array.fromAsync(pieces, (piece) => new TextDecoder(encoding).decode(Buffer.from(piece)))).join('')

/** Number, day, document, kind, customer, account, what, debit, credit, currencies, amount, rate of each line. */
const linesOf = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','))
    .map(
      ([
        number = '',
        date = '',
        ,
        document = '',
        kind = '',
        customer = '',
        account = '',
        what = '',
        ,
        ...amounts
      ]) => [...[number, date, document, kind, customer, account, what], ...amounts],
    )

type BookedWorld = Awaited<ReturnType<typeof aBookedMonth>>

const journal = async ({ store, now }: BookedWorld, month: string) =>
  linesOf(await text(await openJournal(store, { month, format: 'csv' }, now)))

/** The debits less the credits of each document. */
function balancesOf(lines: readonly (readonly string[])[]): Money[] {
  const byEntry = Map.groupBy(lines, ([number, date]) => `${date} ${number}`)
  return [...byEntry.values()].map((some) =>
    add(ZERO, ...some.map((row) => subtract(row[7] || ZERO, row[8] || ZERO))),
  )
}

test('a month is postings with the accounts of the settings, each document balanced', async () => {
  const world = await aBookedMonth()
  const act = { as: 'u0', now: world.now }
  const inCash = { customer: 'carol', type: 'cash', amount: '10', invoice: 'A-2026-1' }
  await carryOutAs(world.store, recordPayment, act, inCash)
  await world.given({ currencies: [{ name: 'JPY', exchange_rate: '150' }] })
  const inYen = { customer: '=1+1', type: 'sepa', amount: '327', currency: 'JPY', invoice: 'A-2026-2' }
  const { answer } = await carryOutAs(world.store, recordPayment, act, inYen)
  const later = { ...act, now: new Date('2026-06-02T08:01:00Z') }
  await carryOutAs(world.store, takeBackPayment, later, { payment: String(answer.id), why: 'Returned' })
  await addCreditNote(world.store, { invoice: 'A-2026-1', why: 'Goodwill', amount: '1' }, act)

  const may = await journal(world, '2026-05')
  expect(may.map((row) => row.join(' ').trimEnd())).toMatchInlineSnapshot(`
    [
      "1 2026-05-31 A-2026-1 invoice carol 1400 receivables 13.32  EUR EUR 13.32 1",
      "1 2026-05-31 A-2026-1 invoice carol 8401 calls  1.01 EUR",
      "1 2026-05-31 A-2026-1 invoice carol 8402 fees  10.00 EUR",
      "1 2026-05-31 A-2026-1 invoice carol 1776 VAT  2.31 EUR",
      "2 2026-05-31 A-2026-2 invoice '=1+1 1400 receivables 2.00  EUR JPY 327 163.27",
      "2 2026-05-31 A-2026-2 invoice '=1+1 8336 calls  2.00 EUR",
    ]
  `)
  const june = await journal(world, '2026-06')
  expect(june.map((row) => row.slice(2).join(' ').trimEnd())).toMatchInlineSnapshot(`
    [
      "C-2026-1 credit note carol 1400 receivables  1.21 EUR EUR -1.21 1",
      "C-2026-1 credit note carol 8400 goodwill 1.00  EUR",
      "C-2026-1 credit note carol 1776 VAT 0.21  EUR",
      "A-2026-1 payment carol 1000 bank 10.00  EUR EUR 10 1",
      "A-2026-1 payment carol 1400 receivables  10.00 EUR",
      "A-2026-2 payment '=1+1 1200 bank 2.18  EUR JPY 327 150",
      "A-2026-2 payment '=1+1 1400 receivables  2.00 EUR",
      "A-2026-2 payment '=1+1 2150 difference  0.18 EUR",
      "178038726000001 payment '=1+1 1200 bank  2.18 EUR JPY -327 150",
      "178038726000001 payment '=1+1 1400 receivables 2.00  EUR",
      "178038726000001 payment '=1+1 2150 difference 0.18  EUR",
    ]
  `)
  expect(balancesOf([...may, ...june]).every((balance) => balance === ZERO)).toBe(true)
})

test('the VAT of what a payment has too much is part of the receivables, not a difference', async () => {
  const world = await aBookedMonth()
  await world.set({ Payments_With_VAT: 'on' })
  const paid = { customer: 'carol', type: 'bank', amount: '132.32', invoice: 'A-2026-1' }
  await carryOutAs(world.store, recordPayment, { as: 'u0', now: world.now }, paid)

  const june = await journal(world, '2026-06')
  expect(june.map((row) => row.slice(3, 9).join(' '))).toEqual([
    'payment carol 1200 bank 132.32 ',
    'payment carol 1400 receivables  132.32',
  ])
})

test('a goodwill is posted and printed as one, whatever words its reason begins with', async () => {
  const world = await aBookedMonth()
  const { store, now } = world
  await world.set({ Journal_Revenue: 'fees=8402,goodwill=8750,8400', Language: 'de' })
  await addCreditNote(
    store,
    { invoice: 'A-2026-1', why: 'Charges, wrong line', amount: '1' },
    { as: 'u0', now },
  )

  expect((await journal(world, '2026-05')).filter((row) => row[2] === 'C-2026-1')).toEqual([])
  const credited = (await journal(world, '2026-06')).filter((row) => row[2] === 'C-2026-1')
  expect(credited.map((row) => row.slice(5, 9).join(' '))).toEqual([
    '1400 receivables  1.21',
    '8750 goodwill 1.00 ',
    '1776 VAT 0.21 ',
  ])
  const [document] = (await Array.fromAsync(listCreditNotes(store, { user: 10 }))).flat()
  if (!document) throw new Error('The credit note is missing')
  const settings = await settingsOf(store)
  const { pieces } = await rendered({ store, settings }, { kind: 'credit note', document }, 'html')
  expect(await text(pieces)).toContain('Charges, wrong line')
})

test("DATEV's batch has its described fields, and refuses accounts that it would not take", async () => {
  const world = await aBookedMonth()
  const batch = async () =>
    text(await openJournal(world.store, { month: '2026-05', format: 'datev' }, world.now), 'windows-1252')
  await expect(batch()).rejects.toThrow('datev_client {"client":""}')
  await world.set({ DATEV_Client: '29098/55003' })

  const [head = '', columns = '', ...postings] = (await batch()).trimEnd().split('\r\n')
  expect(head).toBe(
    '"EXTF";700;21;"Buchungsstapel";13;20260602080000000;;"";"";"";29098;55003;20260101;4;20260501;20260531;"Telefonie 2026-05";"";1;0;0;"EUR";;"";;;"";;;"";""',
  )
  expect(head.split(';')).toHaveLength(31)
  expect(columns.split(';')).toEqual(DATEV_COLUMNS)
  expect([DATEV_COLUMNS.length, DATEV_COLUMNS[113]]).toEqual([125, 'Festschreibung'])
  expect(postings.map((row) => row.split(';').slice(0, 14).join(';'))).toEqual([
    '1,01;"S";"EUR";;;;10010;8401;;3105;"A-2026-1";;;"Rechnung A-2026-1 carol"',
    '10,00;"S";"EUR";;;;10010;8402;;3105;"A-2026-1";;;"Rechnung A-2026-1 carol"',
    '2,31;"S";"EUR";;;;10010;1776;;3105;"A-2026-1";;;"Rechnung A-2026-1 carol"',
    '2,00;"S";"EUR";;;;10012;8336;;3105;"A-2026-2";;;"Rechnung A-2026-2 =1+1"',
  ])
  expect(postings.every((row) => row.split(';').length === 125)).toBe(true)
  expect(postings.map((row) => row.split(';').slice(114, 117))).toEqual(
    Array(4).fill(['31052026', '31052026', '16062026']),
  )
  const earlier = await batch()
  const users = [{ ...person(12), username: '=1+1', debtor_account: '69999' }]
  await world.given({ users: [{ ...admin, password_hash }, person(10, { username: 'carol' }), ...users] })
  await world.set({ DATEV_Tax_Keys: '21=9' })
  const act = { as: 'u0', now: world.now }
  await carryOutAs(world.store, recordPayment, act, { customer: '=1+1', amount: '1', date: '2026-05-30' })
  // A numbered entry keeps its accounts, and its date of creation as long as nothing is added.
  world.now = new Date('2026-06-03T08:00:00Z')
  expect(await batch()).toBe(
    earlier.replace('20260602080000000', '20260603080000000') +
      (await batch()).trimEnd().split('\r\n').slice(-1).join('') +
      '\r\n',
  )
  expect(await batch()).toContain('"1,00";"S"'.replaceAll('"1,00"', '1,00'))
  await world.given({
    users: [
      { ...admin, password_hash },
      { ...users[0], debtor_account: '70000' },
    ],
  })
  const next = { customer: '=1+1', amount: '2', date: '2026-05-30' }
  await carryOutAs(world.store, recordPayment, act, next)
  await expect(batch()).rejects.toThrow(
    'wrong_debtor {"customer":"=1+1","account":"70000","first":10000,"last":69999}',
  )
  await world.set({ DATEV_Client: '', Journal_Bank: 'cash=1' })
  await expect(batch()).rejects.toThrow('datev_client')
  await world.set({ DATEV_Client: '29098/55003' })
  await world.given({
    users: [
      { ...admin, password_hash },
      { ...users[0], debtor_account: '69998' },
    ],
  })
  await expect(batch()).rejects.toThrow('datev_account {"account":"1"}')
})

test("DATEV's batch leaves out a part of 0,00, and has a tax period only beside a day of performance", async () => {
  const part = (account: string, amount: string) =>
    ({
      of: 'calls',
      word: '',
      exact: amount,
      amount,
      account,
      debtor: undefined,
      tax_key: undefined,
    }) as const
  const entry = {
    ...{ day: '2026-05-31', number: 'A-1', currency: 'IDR', amount: '17', posted_currency: 'EUR' },
    ...{ kind: 'payment', document: 1, user_id: 10, customer: 'carol' },
    lines: [part('1400', '1'), part('8401', '0'), part('8402', '-1')],
  }
  const terms = { month: '2026-05', currency: 'EUR', client: '29098/55003', at: new Date(), accountDigits: 4 }
  const [, , ...postings] = (
    await text(
      datevBatch(from<NumberedEntry>([[1, readEntry({ [ROW]: JSON.stringify(entry) })]]), terms),
      'windows-1252',
    )
  ).split('\r\n')

  expect(postings.map((row) => row.split(';')[7])).toEqual(['8402', undefined])
  expect(postings[0]?.split(';').slice(114, 117)).toEqual(['', '', ''])
})

async function* from<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

test('the console answers with the same journal', async () => {
  const world = await aBookedMonth()
  const client = aConsoleClient(world)
  expect((await client.signIn('u0', 'password')).status).toBe(200)
  const { body } = await client.get('/month/journal', { month: '2026-05' })
  expect(body).toMatchObject({ name: 'journal-2026-05.csv', type: 'text/csv; charset=utf-8' })
  const content = Buffer.from((body as { content: string }).content, 'base64').toString()
  expect(linesOf(content)).toEqual(await journal(world, '2026-05'))
  expect((await client.get('/month/journal', { month: '2026-05', format: 'datev' })).status).toBe(409)
})
