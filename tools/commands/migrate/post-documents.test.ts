import { expect, test } from 'vitest'
import { adjustments } from '#lib/billing/adjustment.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { findInvoicesOfNumber, invoices } from '#lib/billing/invoice.ts'
import { putProductPages } from '#lib/billing/invoice-product.ts'
import { payments } from '#lib/billing/payment.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { isUnder, keyIn } from '#lib/table/keys.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { openJournal } from '../invoices/documents-tool.ts'

/** The hash of `password`. */
const password_hash = '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'

const line = { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' }

/** Invoices of May, one of them in yen; payments at another rate, credits, a write-off and an adjustment. */
async function aBookedWorld(): Promise<World> {
  const yen = { currency: 'JPY', vat_percent: '', username: 'yuki', postpaid: '1' }
  const world = await aBilledWorld(
    {
      users: [{ ...admin, password_hash }, person(10, { username: 'carol' }), person(12, yen)],
      currencies: [{ name: 'JPY', exchange_rate: '163.27' }],
      calls: [aCall(10, '2026-05-03 10:00:00', '1.005'), aCall(12, '2026-05-04 10:00:00', '2')],
      services: [line],
      subscriptions: [{ id: '1', user_id: '10', service_id: '1', from: '2026-05-01 00:00:00' }],
    },
    { Charges_From: '2026-05-01', Journal_Bank: 'cash=1000,1200' },
  )
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  const { store } = world
  const at = (minute: number) => ({ as: 'u0', now: new Date(`2026-06-02T08:0${minute}:00Z`) })
  const inCash = { customer: 'carol', type: 'cash', amount: '10', invoice: 'A-2026-1' }
  await carryOutAs(store, recordPayment, at(0), inCash)
  await world.given({ currencies: [{ name: 'JPY', exchange_rate: '150' }] })
  const inYen = { customer: 'yuki', type: 'sepa', amount: '327', currency: 'JPY', invoice: 'A-2026-2' }
  const { answer } = await carryOutAs(store, recordPayment, at(1), inYen)
  await carryOutAs(store, takeBackPayment, at(2), { payment: String(answer.id), why: 'Returned' })
  await addCreditNote(store, { invoice: 'A-2026-1', why: 'Goodwill', amount: '1' }, at(3))
  await addCreditNote(store, { invoice: 'A-2026-2', why: 'Wrong tariff' }, at(4))
  await carryOutAs(store, adjustBalance, at(5), { customer: 'yuki', amount: '3', why: 'Test line' })
  await carryOutAs(store, writeOffInvoice, at(6), { invoice: 'A-2026-1', why: 'Bankrupt' })
  return world
}

const KINDS = [invoices, creditNotes, payments, adjustments] as const

/** As earlier releases stored it: no journal, a goodwill without a row, and an invoice with rows beside it. */
async function asEarlier(world: World): Promise<void> {
  const { store } = world
  for (const kind of KINDS) {
    // The kinds have the columns of the journal alike.
    const of = kind as unknown as typeof payments
    const stored = (await world.dump()).filter(isUnder(of.key)).map((item) => of.check(item))
    const ids = stored.map(({ id }) => id)
    const rows = (await of.findMany(store, ids)).filter((row) => row !== undefined)
    const blank = { posted_on: undefined, exchange_difference: undefined, gross_rate: undefined, revenue: '' }
    const ofKind = kind === adjustments ? { kind: 'correction' } : {}
    for (const before of rows)
      await replaceDocuments(store, of, [{ before, after: { ...before, ...blank, ...ofKind } }])
  }
  const [note] = (await world.dump()).filter(isUnder(creditNotes.key)).map((item) => creditNotes.check(item))
  if (note?.number !== 'C-2026-1') throw new Error('The goodwill is missing')
  await replaceDocuments(store, creditNotes, [{ before: note, after: { ...note, products: [] } }])
  const [before] = await findInvoicesOfNumber(store, 'A-2026-1')
  if (!before) throw new Error('The invoice is missing')
  const pages = before.products.map((product) => [product])
  expect(pages.length).toBe(2)
  const after = { ...before, products: [], product_pages: pages.length }
  await putProductPages(store, after, pages)
  await replaceDocuments(store, invoices, [{ before, after }])
  const journal = (await world.dump()).filter(({ PK }) => /^(UNPOSTED|JOURNAL|JOURNALMONTHS)#/.test(PK))
  await store.removeBatch(journal.map(keyIn))
  await inFormat(world, 3)
}

const inFormat = ({ store }: World, table_format: number) =>
  store.update(settingsKey, { set: { table_format } })

async function journal({ store, now }: World, month: string): Promise<string[]> {
  const pieces = await Array.fromAsync(await openJournal(store, { month, format: 'csv' }, now))
  return pieces.join('').trimEnd().split('\r\n').slice(1)
}

/** Day, document, kind, customer, account, what, debit, credit, currencies, amount, rate, text. */
const withoutNumber = (row: string): string =>
  row
    .split(',')
    .filter((_, index) => ![0, 2, 8].includes(index))
    .join(' ')
    .trimEnd()

const entriesIn = async (world: World) => (await world.dump()).filter(({ PK }) => PK.startsWith('UNPOSTED#'))

test('the migration posts the documents of earlier releases in their months, once', async () => {
  const world = await aBookedWorld()
  const [may, june] = [await journal(world, '2026-05'), await journal(world, '2026-06')]
  await asEarlier(world)

  expect(await toMigrate(world)).toMatchObject({ posted: 13, problems: 0 })
  expect(await entriesIn(world)).toEqual([])
  expect(await migrated(world)).toMatchObject({ posted: 13, problems: 0 })
  const entries = await entriesIn(world)
  expect(entries.every(({ row }) => JSON.parse(String(row)).marked === 'migration')).toBe(true)
  await inFormat(world, 3)
  expect(await migrated(world)).toMatchObject({ posted: 0, problems: 0 })
  expect(await entriesIn(world)).toEqual(entries)

  const after = [await journal(world, '2026-05'), await journal(world, '2026-06')]
  expect(after.map((rows) => rows.map((row) => row.replace(/migration$/, '')))).toEqual([may, june])
  // The first line of each entry is marked.
  expect(after.flat().filter((row) => row.endsWith('migration'))).toHaveLength(entries.length)
  // The journal of earlier releases computed these from the documents.
  const isComputed = (row: string) => !row.includes(',adjustment,')
  expect([...may, ...june].filter(isComputed).map(withoutNumber)).toMatchInlineSnapshot(`
    [
      "2026-05-31 A-2026-1 invoice carol 1400 receivables 13.32  EUR EUR 13.32 1",
      "2026-05-31 A-2026-1 invoice carol 8200 calls  1.01 EUR",
      "2026-05-31 A-2026-1 invoice carol 8200 fees  10.00 EUR",
      "2026-05-31 A-2026-1 invoice carol 1776 VAT  2.31 EUR",
      "2026-05-31 A-2026-2 invoice yuki 1400 receivables 2.00  EUR JPY 327 163.27",
      "2026-05-31 A-2026-2 invoice yuki 8200 calls  2.00 EUR",
      "2026-06-02 C-2026-1 credit note carol 1400 receivables  1.21 EUR EUR -1.21 1",
      "2026-06-02 C-2026-1 credit note carol 8200 goodwill 1.00  EUR",
      "2026-06-02 C-2026-1 credit note carol 1776 VAT 0.21  EUR",
      "2026-06-02 C-2026-2 credit note yuki 1400 receivables  2.00 EUR JPY -327 163.27",
      "2026-06-02 C-2026-2 credit note yuki 8200 calls 2.00  EUR",
      "2026-06-02 A-2026-1 payment carol 1000 bank 10.00  EUR EUR 10 1",
      "2026-06-02 A-2026-1 payment carol 1400 receivables  10.00 EUR",
      "2026-06-02 A-2026-2 payment yuki 1200 bank 2.18  EUR JPY 327 150",
      "2026-06-02 A-2026-2 payment yuki 1400 receivables  2.00 EUR",
      "2026-06-02 A-2026-2 payment yuki 2150 difference  0.18 EUR",
      "2026-06-02 178038732000001 payment yuki 1200 bank  2.18 EUR JPY -327 150",
      "2026-06-02 178038732000001 payment yuki 1400 receivables 2.00  EUR",
      "2026-06-02 178038732000001 payment yuki 2150 difference 0.18  EUR",
    ]
  `)
  expect(june.filter((row) => !isComputed(row)).map(withoutNumber)).toMatchInlineSnapshot(`
    [
      "2026-06-02 178038750000000 adjustment yuki 2300 correction 3.00  EUR EUR 3 1 Test line",
      "2026-06-02 178038750000000 adjustment yuki 1710 prepaid  3.00 EUR",
      "2026-06-02 A-2026-1 adjustment carol 2400 bad_debt 1.74  EUR EUR 2.11 1 Bankrupt",
      "2026-06-02 A-2026-1 adjustment carol 1776 VAT 0.37  EUR",
      "2026-06-02 A-2026-1 adjustment carol 1400 receivables  2.11 EUR",
    ]
  `)
  expect(await damageIn(world)).toEqual([])
})

test('the setting of the day of invoices holds for those of earlier releases', async () => {
  const world = await aBookedWorld()
  await asEarlier(world)
  await world.set({ Journal_Invoice_Day: 'issue' })
  await migrated(world)

  expect(await journal(world, '2026-05')).toEqual([])
  const june = (await journal(world, '2026-06')).filter((row) => row.includes(',invoice,'))
  expect(june.length).toBe(6)
  expect(june.every((row) => row.split(',')[1] === '2026-06-02')).toBe(true)
})

test('until the migration, a journal is refused in place of lacking documents, and so is a close', async () => {
  const world = await aBookedWorld()
  await asEarlier(world)

  await expect(journal(world, '2026-05')).rejects.toThrow('documents_unposted')
  const close = carryOutAs(world.store, closeMonth, { as: 'u0', now: world.now }, { month: '2026-05' })
  await expect(close).rejects.toThrow('documents_unposted')
  const client = aConsoleClient(world)
  expect((await client.signIn('u0', 'password')).status).toBe(200)
  const { status, body } = await client.get('/month/journal', { month: '2026-05' })
  expect(status).toBe(409)
  expect(body).toMatchObject({ error: { remedy: { act: 'migrate' } } })
})

test('a document whose currency has no rate keeps the table in its format, until it has one', async () => {
  const world = await aBookedWorld()
  await asEarlier(world)
  const stored = (await world.dump()).filter(isUnder(payments.key)).map((item) => payments.check(item))
  const before = stored.find(({ type }) => type === 'cash')
  if (!before) throw new Error('The payment is missing')
  await replaceDocuments(world.store, payments, [{ before, after: { ...before, currency: 'XYZ' } }])

  const notes: string[] = []
  const note = (sentence: string) => void notes.push(sentence)
  expect(await migrated(world, { onNote: note })).toMatchObject({ problems: 1 })
  expect(notes).toEqual([
    `payment ${before.id} cannot be posted (currency: XYZ has no exchange rate): add this currency and run this again.`,
  ])
  await expect(journal(world, '2026-05')).rejects.toThrow('documents_unposted')
  await world.given({ currencies: [{ name: 'XYZ', exchange_rate: '2' }] })
  expect(await migrated(world)).toMatchObject({ problems: 0 })
  const june = await journal(world, '2026-06')
  expect(june.filter((row) => row.includes('1000,bank')).map((row) => row.split(',').slice(9))).toEqual([
    ['5.00', '', 'EUR', 'XYZ', '10', '2', '', 'migration'],
  ])
})
