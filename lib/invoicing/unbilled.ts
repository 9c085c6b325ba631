import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { ownsCustomers } from '#lib/base/account-types.ts'
import { totalOf } from '#lib/base/balance.ts'
import { type Day, monthOf, today } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { listCharges } from '#lib/billing/charges/charge.ts'
import { dueChargesOf } from '#lib/billing/charges/charge-run.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { type DayOfCalls, listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { hasFurtherSums } from '#lib/calls/retention.ts'
import { type BilledMonth, chargesBilled, NOTHING_BILLED, type TrafficKind } from './billed.ts'
import { addMonths, daysOfMonth, lastMonthBefore, type Month, monthInWords } from './month.ts'
import { billedKey, billRunKey, readBilled } from './month-items.ts'
import { billableDays, importedInvoices, lateMonths, type MonthRun } from './month-run.ts'

/** Changes that no invoice bills, of a month older than Late_Months, in the default currency. */
export interface UnbilledMonth {
  readonly month: Month
  /** The price of calls that came or changed after the month was billed, or of all calls if it never was. */
  readonly calls: Money
  readonly charges: Money
}

/** The unbilled part of an account, which no run bills. */
export interface UnbilledUse {
  readonly months: UnbilledMonth[]
  /** A sentence for each subscription that is not charged. */
  readonly subscriptions: string[]
}

type Run = Pick<MonthRun, 'store' | 'settings' | 'now'>

export async function unbilledOf(run: Run, account: WholeAccount): Promise<UnbilledUse> {
  const [months, { uncharged, refused }] = await Promise.all([
    unbilledMonths(run, account),
    dueChargesOf(run, account.id),
  ])
  return { months, subscriptions: [...uncharged, ...refused] }
}

/** The account's months that the next invoice leaves out despite something to bill. Reads no calls. */
export const unbilledMonths = async (run: Run, account: WholeAccount): Promise<UnbilledMonth[]> =>
  monthsNotBilled(run, account, await lastUnreached(run, account.id))

/** The account's months up to the last one that have calls or charges on no invoice. Reads no calls. */
export async function monthsNotBilled(
  run: Run,
  account: WholeAccount,
  last: Month,
): Promise<UnbilledMonth[]> {
  const { store, settings } = run
  const { Invoices_From: from } = settings
  if (from === '' || monthOf(from) > last) return []
  const days = { from, till: daysOfMonth(last).till }
  const [items, own, resold, pages, imported] = await Promise.all([
    store.list(billedKey.range(account.id)),
    listDaysOfCalls(store, { user: account.id }, days, settings.shards),
    ownsCustomers(account) ? listDaysOfCalls(store, { owner: account.id }, days, settings.shards) : [],
    Array.fromAsync(listCharges(store, { user: account.id }, days)),
    importedInvoices(run, account.id, from),
  ])
  const isBillable = billableDays(settings, imported)
  const months = new Map(
    items.map((item) => [String(item['SK']), readBilled(String(item['SK']), item).billed]),
  )
  const billedIn = (day: Day) => months.get(monthOf(day)) ?? NOTHING_BILLED
  const calls = Object.entries({ own, resold }).flatMap(([traffic, counted]) =>
    counted
      .filter(({ day }) => isBillable(day) && hasFurtherSums(day, settings))
      .map((one) => ({ day: one.day, calls: notBilled(billedIn(one.day), traffic as TrafficKind, one) })),
  )
  const charges = pages
    .flat()
    .filter((one) => isBillable(one.from) && !chargesBilled(billedIn(one.from)).has(String(one.id)))
    .map((one) => ({ day: one.from, charges: one.amount }))
  return summedUp([...calls, ...charges])
}

const notBilled = (
  { parts }: BilledMonth,
  traffic: TrafficKind,
  { day, further: { charged } }: DayOfCalls,
): Money =>
  subtract(charged, add(...Object.values(parts).map(({ calls }) => calls[traffic][day]?.amount ?? ZERO)))

const summedUp = (
  days: readonly { readonly day: Day; readonly calls?: Money; readonly charges?: Money }[],
): UnbilledMonth[] =>
  [...Map.groupBy(days, ({ day }) => monthOf(day))]
    .map(([month, some]) => ({
      month,
      calls: add(...some.map((one) => one.calls ?? ZERO)),
      charges: add(...some.map((one) => one.charges ?? ZERO)),
    }))
    .filter(({ calls, charges }) => !isZero(calls) || !isZero(charges))
    .sort((one, other) => ascending(one.month, other.month))

/** The newest month that neither the invoice of the last month nor a later one reaches. */
async function lastUnreached({ store, settings, now }: Run, accountId: number): Promise<Month> {
  const over = lastMonthBefore(now, settings.Timezone)
  const isDone = (await store.get(billRunKey(over, accountId))) !== undefined
  return addMonths(over, (isDone ? 0 : -1) - lateMonths(settings))
}

/**
 * The unsettled rest of an account with its seller, with the remedy; `undefined` if it may go to another one.
 * It is read only where invoices or balances are kept here.
 */
export async function leftWithSeller(run: Run, account: WholeAccount): Promise<string | undefined> {
  const { store, settings, now } = run
  const { Invoices_From, Charged_From, Default_Currency, Timezone } = settings
  if (Invoices_From === '' && Charged_From === '') return undefined
  const month = monthOf(today(now, Timezone))
  const [first] = await monthsNotBilled(run, account, month)
  if (first) return `${monthInWords(first.month)} is not billed: issue it first`
  const figures = await findFigures(store, settings, account.id, account.owner_id)
  const due = figures.find(({ open }) => !isZero(open))
  if (due)
    return `${due.open} ${due.currency} of its invoices are open: record the payment or credit them first`
  const found = Charged_From === '' ? undefined : await findBalance(store, account.id)
  const balance = found && totalOf(found.balance)
  if (balance === undefined || isZero(balance)) return undefined
  return `its balance is ${balance} ${Default_Currency}: adjust it to 0 first`
}
