import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { ageingOn } from '#lib/billing/ledger/ageing.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { renderedAgeing } from '#lib/invoicing/documents/statement.ts'
import { journalKey, readEntry } from '#lib/invoicing/journal/entry.ts'
import { numberEntries } from '#lib/invoicing/journal/number-entries.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { ageingReport, statementReport } from './ageing.ts'

const user = (id: number, usertype: string) => ({
  ...{ id: String(id), username: `p${id}`, usertype, owner_id: '0', vat_percent: '19' },
  password_hash: '0'.repeat(40),
})

const invoice = (id: number, issue_date: string, cells: Readonly<Record<string, string>> = {}) => ({
  ...{ id: String(id), user_id: '10', number: `A-${id}`, issue_date, vat_percent: '19' },
  ...{ price: '100', price_with_vat: '119', ...cells },
})

/** Three invoices of 119.00 dollars, one of 59.50 euros, one that came as paid, and two credit notes. */
const aWorldOfDebts = () =>
  aWorld(
    {
      users: [user(0, 'admin'), user(10, 'user'), user(20, 'user')],
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      invoices: [
        ...['2026-01-02', '2026-01-20', '2026-03-03'].map((day, index) =>
          // One names the default currency, which its payments do not: that is no conversion.
          invoice(index + 1, day, {
            due_date: day.replace('-02', '-16'),
            currency: index === 0 ? 'USD' : '',
          }),
        ),
        invoice(4, '2026-02-01', {
          ...{ price: '50', price_with_vat: '59.5', currency: 'EUR', exchange_rate: '0.5' },
        }),
        invoice(5, '2025-11-01', { user_id: '20' }),
        invoice(6, '2025-11-01', { user_id: '20', status: 'paid' }),
      ],
      credit_notes: [
        { id: '1', user_id: '20', number: 'C-1', issue_date: '2026-02-20', price: '10', invoices: '' },
      ],
    },
    { Balance_From: '2026-01-01' },
  )

async function linesOf(report: Report): Promise<string[]> {
  const rows = await Array.fromAsync(report.rows)
  return rows.map((row) => Object.values(row).join(' '))
}

const agedOn = async (world: World, till: string, customers?: ReadonlySet<number>) =>
  linesOf(await ageingReport(world.store, { till, now: world.now, customers }))

test('what is owed is listed by days after the due day, with the sum of each currency', async () => {
  const world = await aWorldOfDebts()

  expect(await agedOn(world, '2026-03-04')).toEqual([
    'p10 EUR 59.5000 0.0000 0.0000 59.5000 0.0000 0.0000 0.0000',
    'p10 USD 357.0000 0.0000 119.0000 238.0000 0.0000 0.0000 0.0000',
    'p20 USD 228.0000 0.0000 0.0000 0.0000 0.0000 119.0000 -109.0000',
    ' EUR 59.5000 0.0000 0.0000 59.5000 0.0000 0.0000 0.0000',
    ' USD 585.0000 0.0000 119.0000 238.0000 0.0000 119.0000 -109.0000',
  ])
  expect(await agedOn(world, '2026-01-10', new Set([10]))).toEqual([
    'p10 USD 119.0000 119.0000 0.0000 0.0000 0.0000 0.0000 0.0000',
    ' USD 119.0000 119.0000 0.0000 0.0000 0.0000 0.0000 0.0000',
  ])
})

test('what is owed is a list for the seller, without a buyer, in each currency', async () => {
  const world = await aWorldOfDebts()
  const settings = { ...(await settingsOf(world.store)), Seller_Name: '北風', Language: 'de' }
  const found = (await ageingOn(world.store, settings, { owner: 0 }, { day: '2026-03-04' })) ?? []
  const rendered = await renderedAgeing({ store: world.store, settings }, 0, '2026-03-04', found)
  const text = (await Array.fromAsync(rendered.pieces)).join('')

  // No PDF has the name of this seller: it is a page.
  expect(rendered).toMatchObject({ name: 'Offene-Posten-nach-Alter-2026-03-04.html', lacking: '北 風' })
  expect(text.match(/<address>/g)).toHaveLength(1)
  const cells = [...text.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/>([^<]*)<\/t[dh]>/g)].map(([, cell]) => cell),
  )
  expect(cells).toEqual([
    [
      'Kunde',
      'Währung',
      'Offen',
      'Nicht fällig',
      '1 – 30 Tage',
      '31 – 60 Tage',
      '61 – 90 Tage',
      'Über 90 Tage',
    ].concat('Nicht zugeordnet'),
    ['p10', 'EUR', '59,50', '0,00', '0,00', '59,50', '0,00', '0,00', '0,00'],
    ['p10', 'USD', '357,00', '0,00', '119,00', '238,00', '0,00', '0,00', '0,00'],
    ['p20', 'USD', '228,00', '0,00', '0,00', '0,00', '0,00', '119,00', '-109,00'],
    ['Offen', '59,50 EUR'],
    ['Offen', '585,00 USD'],
  ])
  const pdf = `${mkdtempSync(`${tmpdir()}/ageing-`)}/ageing.pdf`
  await ageingReport(world.store, { till: '2026-03-04', now: world.now, customers: undefined, pdf })
  expect(readFileSync(pdf, 'latin1')).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/)
})

/** Carries out acts, each on its own day, and keeps what the report of each day says on that day. */
async function aWorldOfActs() {
  const world = await aWorldOfDebts()
  const said = new Map<string, string[]>()
  const on = async (day: string, run: (act: { as: string; now: Date }) => Promise<unknown>) => {
    await run({ as: 'p0', now: new Date(`${day}T12:00:00Z`) })
    said.set(day, await toldOf(world, day))
  }
  const { store } = world
  const pay = async (act: { as: string; now: Date }, amount: string, given: GivenTexts = {}) => {
    const done = await carryOutAs(store, recordPayment, act, {
      ...{ customer: 'p10', amount, again: 'yes', ...given },
    })
    return String(done.answer.id)
  }
  let [first, second] = ['', '']
  await on('2026-03-05', async (act) => {
    first = await pay(act, '300')
  })
  await on('2026-03-06', (act) =>
    carryOutAs(store, assignPayment, act, { payment: first, invoices: 'A-1\nA-2=19\nA-4' }),
  )
  await on('2026-03-07', async (act) => {
    second = await pay(act, '50', { invoice: 'A-3' })
  })
  await on('2026-03-08', (act) => carryOutAs(store, refundPayment, act, { payment: first, amount: '20' }))
  await on('2026-03-09', (act) => carryOutAs(store, writeOffInvoice, act, { invoice: 'A-5', why: 'gone' }))
  await on('2026-03-10', (act) =>
    carryOutAs(store, takeBackPayment, act, { payment: second, why: 'bounced' }),
  )
  return { world, said, on, pay, first }
}

/** The amounts owed on a day, and the statement until then. */
const toldOf = async (world: World, till: string) => [
  ...(await agedOn(world, till)),
  ...(await linesOf(await statementReport(world.store, 'p10', { from: '2026-01-01', till }))),
]

test('a past day has the ledger of then: what came or was released later does not count', async () => {
  const { world, said, on, pay, first } = await aWorldOfActs()
  const { store } = world
  await on('2026-03-11', (act) => carryOutAs(store, unassignPayment, act, { payment: first, invoice: 'A-4' }))
  await on('2026-03-12', (act) => carryOutAs(store, assignPayment, act, { payment: first, invoices: 'A-4' }))
  await on('2026-03-13', (act) =>
    carryOutAs(store, refundPayment, act, { payment: first, amount: '150', release: 'yes' }),
  )
  let third = ''
  await on('2026-03-14', async (act) => {
    third = await pay(act, '40', { invoice: 'A-4', currency: 'USD' })
  })
  await on('2026-03-15', (act) => carryOutAs(store, takeBackPayment, act, { payment: third, why: 'bounced' }))
  expect(new Set([...said.values()].map((lines) => lines.join('\n'))).size).toBe(said.size)

  for (const [day, lines] of said) expect([day, await toldOf(world, day)]).toEqual([day, lines])
  await numberEntries({ store, settings: await settingsOf(store) }, 0)
  const entries = (await store.list(journalKey.range(0, '2026-03'))).map(readEntry)
  const differences = entries.flatMap(({ day, lines }) =>
    lines.flatMap(({ of, exact }) => (of === 'difference' ? [`${day} ${exact}`] : [])),
  )
  expect(differences).toEqual([
    '2026-03-06 44.62',
    '2026-03-11 -44.62',
    '2026-03-12 44.62',
    '2026-03-13 -44.62',
    '2026-03-14 24',
    '2026-03-15 -24',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a statement begins with what was owed, and each entry has the sum after it', async () => {
  const { world } = await aWorldOfActs()
  const days = { from: '2026-02-01', till: '2026-03-31' }
  const ids = /\d{15,}/g
  const lines = await linesOf(await statementReport(world.store, 'p10', days))

  expect(lines.map((line) => line.replaceAll(ids, 'N'))).toEqual([
    '2026-02-01 opening  EUR  0.0000',
    '2026-02-01 invoice A-4 EUR 59.5000 59.5000',
    '2026-03-06 conversion N EUR -59.5000 0.0000',
    '2026-03-31 closing  EUR  0.0000',
    '2026-02-01 opening  USD  238.0000',
    '2026-03-03 invoice A-3 USD 119.0000 357.0000',
    '2026-03-05 payment N USD -300.0000 57.0000',
    '2026-03-06 conversion N USD 74.3800 131.3800',
    '2026-03-07 payment N USD -50.0000 81.3800',
    '2026-03-08 refund N USD 20.0000 101.3800',
    '2026-03-10 taken back N USD 50.0000 151.3800',
    '2026-03-31 closing  USD  151.3800',
  ])
  expect((await agedOn(world, '2026-03-31', new Set([10])))[0]).toMatch(/^p10 USD 151\.3800 /)
})
