import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { totalOf } from '#lib/base/balance.ts'
import { today } from '#lib/base/calendar.ts'
import { add, fixed, isPositive, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { type Invoice, invoices } from '#lib/billing/invoice.ts'
import { withPaidItem } from '#lib/billing/invoice-paid.ts'
import { bookedAtRate, openAmount } from '#lib/billing/invoice-payment.ts'
import { payments } from '#lib/billing/payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { callsIn, type DumpedItem } from '#test/dump.ts'
import { expectChargesByFormula, noteTerms } from '#test/invoicing/charge-model.ts'
import {
  aHistory,
  type BillingHistory,
  bill,
  issueMonthOf,
  newestMonth,
  payEverything,
  playStep,
} from '#test/invoicing/history.ts'
import { type BillingStep, FIRST_DAY, histories } from '#test/invoicing/history-steps.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import type { World } from '#test/world.ts'
import { method as invoicesGet } from '../../functions/billing/invoices_get.ts'
import { journalFile } from './journal/journal-file.ts'
import { addMonths, daysOfMonth, type Month } from './month.ts'
import { readBilled } from './month-items.ts'
import { unbilledMonths } from './unbilled.ts'

const ACCOUNTS = [2, 10, 11, 12, 20]

const rowsOf = <T>(items: readonly DumpedItem[], kind: string, read: (item: DumpedItem) => T): T[] =>
  items.filter(({ SK, row }) => SK.startsWith(`${kind}#`) && row !== undefined).map(read)

/** What a customer has of an issued invoice: payments and credit notes do not change it. */
function issuedPart(invoice: Invoice & { readonly paid_by?: string; readonly paid_version?: number }) {
  const {
    status,
    paid_amount,
    paid_booked,
    paid_by,
    credited,
    credited_net,
    credited_by,
    paid_version,
    ...issued
  } = invoice
  return JSON.stringify(issued)
}

/** The invoices with what payments pay of them, which stands beside them. */
const invoicesIn = (items: readonly DumpedItem[]) =>
  rowsOf(items, 'INVOICE', invoices.readRow).map((invoice) =>
    withPaidItem(
      invoice,
      items.find(({ SK, invoice_id }) => SK.startsWith('INVOICEPAID#') && invoice_id === invoice.id),
    ),
  )

const booksOf = (items: readonly DumpedItem[]) => ({
  invoices: invoicesIn(items),
  notes: rowsOf(items, 'CREDITNOTE', creditNotes.readRow),
  payments: rowsOf(items, 'PAYMENT', payments.readRow),
  charges: rowsOf(items, 'CHARGE', charges.readRow),
})

type Books = ReturnType<typeof booksOf>

const sum = <T>(rows: readonly T[], of: (row: T) => Money | undefined): Money =>
  add(ZERO, ...rows.map((row) => of(row) ?? ZERO))

/** The numbers of a seller's documents are 1 to n, in the order in which they were issued. */
function expectNumbers(documents: readonly { readonly number: string; readonly issue_date: string }[]): void {
  const byNumber = documents
    .map((one) => ({ ...one, n: Number(one.number.split('-').at(-1)) }))
    .sort((one, other) => one.n - other.n)
  expect(byNumber.map(({ n }) => n)).toEqual(byNumber.map((_, index) => index + 1))
  const dates = byNumber.map(({ issue_date }) => issue_date)
  expect(dates).toEqual(dates.toSorted())
}

/** Issues all months that are over, once more in each order that is allowed. */
async function issueEverything({ world }: BillingHistory): Promise<Month> {
  world.now = new Date(world.now.getTime() + 35 * 86_400_000)
  const last = newestMonth(world)
  for (const owner of [0, 2])
    for (let month = FIRST_DAY.slice(0, 7); month <= last; month = addMonths(month, 1))
      await issueMonthOf(world, { month, owner })
  return last
}

interface Usage {
  readonly used: Money
  readonly billed: Money
}

/** What calls and charges up to a month cost an account, and what its documents bill of it. */
function usageOf(items: readonly DumpedItem[], id: number, last: Month): Usage {
  const { invoices: issued, notes, charges: fees } = booksOf(items)
  const calls = callsIn(items).filter(({ day }) => day.slice(0, 7) <= last)
  return {
    used: add(
      sum(
        calls.filter((call) => call.user_id === id),
        (call) => call.user_price,
      ),
      sum(
        calls.filter((call) => call.owner_id === id && !call.direct),
        (call) => call.reseller_price,
      ),
      sum(
        fees.filter((fee) => fee.user_id === id && fee.from.slice(0, 7) <= last),
        (fee) => fee.amount,
      ),
    ),
    billed: add(
      sum(
        issued.filter((one) => one.user_id === id && one.credited_by === ''),
        (one) => one.charged,
      ),
      sum(
        notes.filter((one) => one.user_id === id),
        (one) => one.charged,
      ),
    ),
  }
}

/** All calls and charges are billed once, or listed as too old. */
async function expectBilledOnce(world: World, items: readonly DumpedItem[], last: Month): Promise<void> {
  const run = { store: world.store, settings: await settingsOf(world.store), now: world.now }
  for (const id of ACCOUNTS) {
    const account = await findWholeAccount(world.store, id)
    const old = account ? await unbilledMonths(run, account) : []
    const { used, billed } = usageOf(items, id, last)
    const left = subtract(used, add(billed, ...old.flatMap((one) => [one.calls, one.charges])))
    const isEmpty = items.some(
      ({ PK, SK, outcome }) => PK === `BILLRUN#${last}` && Number(SK) === id && outcome === 'empty',
    )
    // A month whose rows all round to 0.00 is billed with a later one.
    if (isEmpty) expect(Math.abs(Number(left))).toBeLessThan(0.005 * 40)
    else expect([id, left]).toEqual([id, ZERO])
  }
}

/** The charges of closed months, compared with what the formulas give. */
function expectChargedByFormulas(
  { subscriptions, model, world }: BillingHistory,
  items: readonly DumpedItem[],
  last: Month,
): void {
  const made = booksOf(items).charges
  if (model) noteTerms(model, subscriptions, today(world.now, 'UTC'))
  for (const one of subscriptions)
    expectChargesByFormula(
      one,
      made.filter(({ subscription_id }) => subscription_id === Number(one['id'])),
      daysOfMonth(last).till,
      model,
    )
  drawn.charges += made.length
}

/** The minimum of a closed month is what its calls lack of it, over all documents. */
function expectMinimums(items: readonly DumpedItem[]): void {
  for (const item of items.filter(({ PK }) => PK.startsWith('BILLED#'))) {
    const { billed } = readBilled(item.SK, item)
    const parts = Object.values(billed.parts)
    const isClosed = items.some(({ PK, SK }) => PK === `BILLRUN#${item.SK}` && SK === item.PK.split('#')[1])
    if (!isClosed) continue
    const calls = parts.flatMap((part) => [
      ...Object.values(part.calls.own),
      ...Object.values(part.calls.resold),
    ])
    const missing = subtract(
      billed.minimum,
      sum(calls, ({ amount }) => amount),
    )
    const expected = isPositive(billed.minimum) && isPositive(missing) ? missing : ZERO
    expect([item.PK, item.SK, sum(parts, ({ minimum }) => minimum)]).toEqual([item.PK, item.SK, expected])
  }
}

/** A balance is payments and credit notes, less invoices and what no document has billed yet. */
async function expectBalances(world: World, items: readonly DumpedItem[]): Promise<void> {
  const { invoices: issued, notes, payments: paid } = booksOf(items)
  for (const id of ACCOUNTS) {
    const own = <R extends { readonly user_id: number }>(rows: readonly R[]) =>
      rows.filter((one) => one.user_id === id)
    const { used, billed } = usageOf(items, id, '9999-12')
    // A credit note of an invoice says why.
    const drafted = own(notes).filter(({ comment }) => comment === '')
    const debts = own(issued).filter(({ credited_by }) => credited_by === '')
    const expected = subtract(
      add(
        sum(own(paid), (one) => one.booked),
        sum(drafted, (one) => bookedAtRate(one.price, one)),
        billed,
      ),
      add(
        sum(debts, (one) => bookedAtRate(subtract(one.price, one.credited_net), one)),
        used,
      ),
    )
    const balance = await findBalance(world.store, id)
    expect([id, balance && totalOf(balance.balance)]).toEqual([id, expected])
  }
}

async function expectShown(world: World, { invoices: issued }: Books): Promise<void> {
  const xml = await world.call(invoicesGet, 'u0', {})
  for (const { number, products, owner_id } of issued as (Invoice & { owner_id: number })[]) {
    if (owner_id !== 0) continue
    const shown = xml.split('<Invoice ').find((one) => one.includes(`number="${number}"`)) ?? ''
    const sums = [...shown.matchAll(/<Sum>([^<]*)<\/Sum>/g)].map(([, text]) => text)
    expect([number, sums]).toEqual([number, products.map((product) => fixed(product.sum, 4))])
  }
}

/** In all journals, debits are credits, and documents in the default currency have their gross. */
async function expectBalancedJournals(world: World): Promise<void> {
  const source = { store: world.store, settings: await settingsOf(world.store) }
  for (const owner of [0, 2])
    for (
      let month = FIRST_DAY.slice(0, 7);
      month <= today(world.now, 'UTC').slice(0, 7);
      month = addMonths(month, 1)
    ) {
      const wanted = { seller: owner, month, format: 'csv', now: world.now } as const
      const csv = (await Array.fromAsync(journalFile(source, wanted))).join('')
      const rows = csv
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(','))
      const net = sum(rows, (row) => subtract(row[9] || ZERO, row[10] || ZERO))
      expect([month, owner, net]).toEqual([month, owner, ZERO])
      const own = rows.filter((row) => row[12] === 'EUR')
      expect(own.map((row) => Number(row[9]) - Number(row[10]))).toEqual(own.map((row) => Number(row[13])))
      drawn.postings += rows.length
    }
}

/** The numbers of both sellers. */
function expectAllNumbers(items: readonly DumpedItem[]): void {
  for (const owner of [0, 2]) {
    const ofOwner = (kind: string) =>
      items.filter(({ SK, GSI1PK }) => SK.startsWith(`${kind}#`) && GSI1PK === `OWNER#${owner}#${kind}`)
    expectNumbers(ofOwner('INVOICE').map(invoices.readRow))
    expectNumbers(ofOwner('CREDITNOTE').map(creditNotes.readRow))
  }
}

/** Carries out the steps. No step changes an invoice that was issued before. */
async function carryOutAll(history: BillingHistory, steps: readonly BillingStep[]): Promise<void> {
  const kept = new Map<number, string>()
  for (const step of steps) {
    await playStep(history, step)
    for (const invoice of booksOf(await history.world.dump()).invoices) {
      expect(issuedPart(invoice)).toBe(kept.get(invoice.id) ?? issuedPart(invoice))
      kept.set(invoice.id, issuedPart(invoice))
    }
  }
}

const drawn = { invoices: 0, notes: 0, charges: 0, postings: 0 }

async function expectSound(steps: readonly BillingStep[], isHourly: boolean): Promise<void> {
  const history = await aHistory(isHourly)
  const { world } = history
  await carryOutAll(history, steps)
  const last = await issueEverything(history)
  const items = await world.dump()
  expectChargedByFormulas(history, items, last)
  await expectBilledOnce(world, items, last)
  await expectBalances(world, items)
  expectMinimums(items)
  expectAllNumbers(items)
  const again = await bill(world, { month: last, owner: 0 }, 'issue')
  expect(again.filter(({ outcome }) => outcome !== 'done')).toEqual([])
  await payEverything(world)
  const after = await world.dump()
  const paid = booksOf(after)
  await expectBalances(world, after)
  expect(paid.invoices.filter((one) => !isZero(openAmount(one)))).toEqual([])
  await expectShown(world, paid)
  await expectBalancedJournals(world)
  expect(await damageIn(world)).toEqual([])
  drawn.invoices += paid.invoices.length
  drawn.notes += paid.notes.length
}

test('over drawn histories, all is billed once, numbers have no gap, and paid invoices leave nothing', {
  timeout: 3_600_000,
}, async () => {
  const property = fc.asyncProperty(histories(runs(20, 40)), fc.boolean(), expectSound)
  await fc.assert(property, { numRuns: runs(3, 120) })
  expect(drawn.invoices).toBeGreaterThan(20)
  expect(drawn.notes).toBeGreaterThan(0)
  expect(drawn.charges).toBeGreaterThan(0)
  expect(drawn.postings).toBeGreaterThan(drawn.invoices)
})
