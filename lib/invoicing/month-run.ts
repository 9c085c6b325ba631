import { asOf } from '#lib/accounts/account-history.ts'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { ownsCustomers } from '#lib/base/account-types.ts'
import { type Day, type Days, monthOf, periodOfDay, today } from '#lib/base/calendar.ts'
import { type Money, ONE, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { ChargingRun } from '#lib/billing/charges/charge-run.ts'
import { isIssued, type ListedInvoice, listInvoiceRows } from '#lib/billing/invoice.ts'
import { inPages } from '#lib/billing/invoice-product.ts'
import { type DayOfCalls, listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { type ByTraffic, chargesBilled, TRAFFIC, type TrafficKind } from './billed.ts'
import type { ChargesOfAccount } from './charges-of.ts'
import { type BillableCharge, type Draft, type DraftTerms, draftOf, type MonthUse } from './draft.ts'
import { addMonths, daysOfMonth, type Month, monthInWords } from './month.ts'
import {
  type BillRun,
  billedKey,
  billRunKey,
  readBilled,
  readBillRun,
  type StoredBilled,
} from './month-items.ts'
import type { Party } from './parties.ts'
import { type CallSource, readUsedCalls, type UsedCalls } from './used-calls.ts'

/** A month that an owner bills to its customers. */
export interface MonthRun extends CallSource {
  readonly settings: Settings
  readonly now: Date
  readonly month: Month
  /** Account 0 for admin, otherwise a reseller or a partner. */
  readonly owner_id: number
  readonly seller: Party
  /** The digest of the look of its documents; blank for a preview. */
  readonly brand: string
  /** The suspended calls of the month that would be new, by customer. */
  readonly suspended: ReadonlyMap<number, number>
  readonly isDespiteSuspense: boolean
  /** It also bills what is older than Late_Months. */
  readonly isLate?: boolean | undefined
  /** An account's charges of a period, with those due: an issue makes them, a preview does not. */
  readonly chargesOf: (run: ChargingRun, accountId: number, days: Days) => Promise<ChargesOfAccount>
}

/** The month of a customer, as it would be billed now. */
export interface CustomerMonth {
  readonly account: WholeAccount
  readonly done: BillRun | undefined
  /** Why no document may be issued. */
  readonly refusal: Refusal | undefined
  readonly suspended: number
  readonly terms: DraftTerms
  readonly draft: Draft
  readonly stored: readonly StoredBilled[]
}

/** The state of a customer's months before its calls are read. */
interface KnownMonths {
  readonly stored: readonly StoredBilled[]
  readonly runs: ReadonlyMap<Month, BillRun | undefined>
  readonly days: ByTraffic<readonly DayOfCalls[]>
  readonly charges: readonly BillableCharge[]
  /** Why charges could not be made. */
  readonly uncharged: readonly string[]
  readonly imported: readonly ListedInvoice[]
}

/** How many months before its own an invoice bills as late. */
export const lateMonths = ({ Late_Months = 2 }: Settings): number => Late_Months

/** The invoice's own month first, then the earlier months that may have late calls. */
function monthsOf({ month, settings, isLate }: MonthRun): Month[] {
  const first = monthOf(settings.Invoices_From)
  const oldest = isLate ? first : addMonths(month, -lateMonths(settings))
  const late: Month[] = []
  for (let one = oldest < first ? first : oldest; one < month; one = addMonths(one, 1)) late.push(one)
  return [month, ...late]
}

/** The room of a transaction, in which each month is an item. */
const MOST_OLDER_MONTHS = 12

/** The first months older than Late_Months that have something to bill. */
function withFewOlder({ month, settings }: MonthRun, known: KnownMonths): KnownMonths {
  const first = addMonths(month, -lateMonths(settings))
  const isNeeded = (stored: StoredBilled) => {
    const ofMonth = (day: Day) => monthOf(day) === stored.month
    const billed = chargesBilled(stored.billed)
    return (
      TRAFFIC.some((traffic) =>
        known.days[traffic].some((one) => ofMonth(one.day) && hasChanged(stored, traffic, one)),
      ) || known.charges.some(({ id, from }) => ofMonth(from) && !billed.has(String(id)))
    )
  }
  const older = known.stored.filter((one) => one.month < first)
  const needed = new Set(older.filter(isNeeded).slice(0, MOST_OLDER_MONTHS))
  return { ...known, stored: known.stored.filter((one) => one.month >= first || needed.has(one)) }
}

/** Drafts a customer's document for the month, from its calls and earlier days that have changed. */
export async function readCustomerMonth(run: MonthRun, account: WholeAccount): Promise<CustomerMonth> {
  const known = withFewOlder(run, await knownMonths(run, account))
  const terms = await termsOf(run, account)
  const refusal = terms.refusal ?? refusalOf(run, account, known)
  const done = known.runs.get(run.month)
  const uses = done || refusal !== undefined ? [] : await usesOf(run, account, known)
  const draft = draftOf(uses, terms.terms)
  return {
    account,
    done,
    refusal: done ? undefined : (refusal ?? refusalOfSize(draft)),
    suspended: run.suspended.get(account.id) ?? 0,
    terms: terms.terms,
    draft,
    stored: known.stored,
  }
}

async function knownMonths(run: MonthRun, account: WholeAccount): Promise<KnownMonths> {
  const { store, settings } = run
  const months = monthsOf(run)
  const days = { from: daysOfMonth(months[1] ?? run.month).from, till: daysOfMonth(run.month).till }
  const scopes = { own: { user: account.id }, resold: { owner: account.id } }
  const [items, own, resold, charges, imported] = await Promise.all([
    store.getMany(months.flatMap((month) => [billRunKey(month, account.id), billedKey(account.id, month)])),
    listDaysOfCalls(store, scopes.own, days, settings.shards),
    ownsCustomers(account) ? listDaysOfCalls(store, scopes.resold, days, settings.shards) : [],
    run.chargesOf(run, account.id, days),
    importedInvoices(run, account.id, days.from),
  ])
  const itemOf = (month: Month, place: 0 | 1): Item | undefined => items[months.indexOf(month) * 2 + place]
  const isBillable = billableDays(settings, imported)
  return {
    stored: months.map((month) => readBilled(month, itemOf(month, 1))),
    runs: new Map(months.map((month) => [month, readBillRun(itemOf(month, 0))])),
    days: {
      own: own.filter(({ day }) => isBillable(day)),
      resold: resold.filter(({ day }) => isBillable(day)),
    },
    charges: charges.charges.filter(({ from }) => isBillable(from)),
    uncharged: charges.refused,
    imported,
  }
}

/** An imported invoice is rarely issued this many months before the days that it bills. */
const MONTHS_BEFORE = 12

export async function importedInvoices(
  { store }: Pick<MonthRun, 'store'>,
  user: number,
  first: Day,
): Promise<ListedInvoice[]> {
  const from = daysOfMonth(addMonths(monthOf(first), -MONTHS_BEFORE)).from
  const pages = await Array.fromAsync(listInvoiceRows(store, { user }, { from }))
  return pages.flat().filter((invoice) => !isIssued(invoice))
}

/** Days before Invoices_From are not billed, and neither are those in the period of an imported invoice. */
export const billableDays =
  ({ Invoices_From }: Settings, imported: readonly ListedInvoice[]) =>
  (day: Day): boolean =>
    day >= Invoices_From && !coversAny(imported, { from: day, till: day })

/** Whether the period of an invoice has one of these days. An invoice without a period has none. */
const coversAny = (imported: readonly ListedInvoice[], { from, till }: Days): boolean =>
  imported.some(({ period_from = '~', period_till = '' }) => period_from <= till && from <= period_till)

// Refusals

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly invoice_without_period: { readonly number: string }
    /** `named` is the month in words. */
    readonly earlier_month_unbilled: {
      readonly month: Month
      readonly named: string
      readonly customer: string
    }
    /** A sentence about the subscription that cannot be charged. */
    readonly uncharged: { readonly says: string }
    readonly calls_in_suspense: { readonly count: number }
    readonly too_many_credit_rows: { readonly count: number }
    readonly too_many_charges: { readonly month: string; readonly most: number }
    readonly no_exchange_rate: { readonly currency: string }
  }
}

/** Why a customer's month cannot be billed. */
function refusalOf(run: MonthRun, account: WholeAccount, known: KnownMonths): Refusal | undefined {
  const { settings, month, isDespiteSuspense } = run
  const open = known.imported.find(
    ({ period_from, issue_date }) => period_from === undefined && issue_date >= settings.Invoices_From,
  )
  if (open) return new Refusal('invoice_without_period', { number: open.number })
  const earlier = known.stored.find(
    (one) => one.month < month && !known.runs.get(one.month) && hasUse(run, account, known, one),
  )
  if (earlier)
    return new Refusal('earlier_month_unbilled', {
      month: earlier.month,
      named: monthInWords(earlier.month),
      customer: account.username,
    })
  const [uncharged] = known.uncharged
  if (uncharged !== undefined) return new Refusal('uncharged', { says: uncharged })
  const suspended = run.suspended.get(account.id) ?? 0
  return suspended === 0 || isDespiteSuspense
    ? undefined
    : new Refusal('calls_in_suspense', { count: suspended })
}

/** A month's billed charges are one item of at most 400 KB. Each takes about 30 bytes. */
const MOST_CHARGES = 10_000

/** A credit note has no pages of rows. */
function refusalOfSize({ net, products, months }: Draft): Refusal | undefined {
  if (net.startsWith('-') && inPages(products).length > 1)
    return new Refusal('too_many_credit_rows', { count: products.length })
  const large = months.find(
    ({ use, part }) => chargesBilled(use.billed).size + Object.keys(part.charges).length > MOST_CHARGES,
  )
  return (
    large && new Refusal('too_many_charges', { month: monthInWords(large.use.month), most: MOST_CHARGES })
  )
}

const hasUse = (run: MonthRun, account: WholeAccount, known: KnownMonths, { month }: StoredBilled): boolean =>
  TRAFFIC.some((traffic) =>
    known.days[traffic].some(({ day, tally }) => monthOf(day) === month && tally.calls > 0),
  ) ||
  known.charges.some(({ from }) => monthOf(from) === month) ||
  minimumOf(run, account, known, month) !== ZERO

// Terms

/** A document has the currency and VAT that held on the last day of its month, whenever it is issued. */
async function termsOf(
  { store, settings, now, month }: MonthRun,
  account: WholeAccount,
): Promise<{ readonly terms: DraftTerms; readonly refusal: Refusal | undefined }> {
  const { till } = periodOfDay(daysOfMonth(month).till, settings.Timezone)
  const { currency, vat_percent } = asOf(account, till)
  const name = currency || settings.Default_Currency
  const rate = (await exchangeRatesOf(store, [name], settings.Default_Currency)).get(name)
  const terms = {
    currency: name,
    default_currency: settings.Default_Currency,
    exchange_rate: rate ?? ONE,
    vat_percent,
    issue_date: today(now, settings.Timezone),
  }
  const refusal = rate === undefined ? new Refusal('no_exchange_rate', { currency: name }) : undefined
  return { terms, refusal }
}

/** The minimum of a month: of a postpaid account, for whole months. */
function minimumOf(
  { settings }: Pick<MonthRun, 'settings'>,
  { postpaid, minimal_month, minimal_from = '' }: WholeAccount,
  { imported }: KnownMonths,
  month: Month,
): Money {
  const days = daysOfMonth(month)
  const isWhole = days.from >= settings.Invoices_From && !coversAny(imported, days)
  return postpaid && isWhole && minimal_month !== undefined && minimal_from <= days.from
    ? minimal_month
    : ZERO
}

// Calls

async function usesOf(run: MonthRun, account: WholeAccount, known: KnownMonths): Promise<MonthUse[]> {
  const uses: MonthUse[] = []
  for (const stored of known.stored) uses.push(await useOf(run, account, known, stored))
  return uses
}

async function useOf(
  run: MonthRun,
  account: WholeAccount,
  known: KnownMonths,
  stored: StoredBilled,
): Promise<MonthUse> {
  const { month, billed } = stored
  const isOwn = month === run.month
  const readTraffic = (traffic: TrafficKind): Promise<UsedCalls> => {
    const ofMonth = known.days[traffic].filter(({ day }) => monthOf(day) === month)
    const isRead = (counted: DayOfCalls) => isOwn || hasChanged(stored, traffic, counted)
    return readUsedCalls(run, traffic, account.id, stretchesOf(ofMonth, isRead))
  }
  const [own, resold] = [await readTraffic('own'), await readTraffic('resold')]
  const chargedBefore = chargesBilled(billed)
  return {
    month,
    billed,
    now: { own: own.now, resold: resold.now },
    seen: { own: own.seen, resold: resold.seen },
    charges: known.charges.filter(
      ({ id, from }) => monthOf(from) === month && !chargedBefore.has(String(id)),
    ),
    minimum: isOwn ? minimumOf(run, account, known, month) : billed.minimum,
    labelled: isOwn ? { own: own.labelled, resold: resold.labelled } : undefined,
  }
}

/** The days that are read, apart where one between them is not. */
function stretchesOf<D>(days: readonly D[], isRead: (day: D) => boolean): D[][] {
  const stretches: D[][] = [[]]
  for (const one of days)
    if (isRead(one)) stretches.at(-1)?.push(one)
    else stretches.push([])
  return stretches.filter((stretch) => stretch.length > 0)
}

/** A day that was never read counts as changed if it has calls. */
const hasChanged = (
  { billed }: StoredBilled,
  traffic: TrafficKind,
  { day, tally, further }: DayOfCalls,
): boolean => {
  const seen = billed.seen[traffic][day]
  return seen === undefined ? tally.calls > 0 || isBilledDay(billed, traffic, day) : seen !== further.changes
}

const isBilledDay = ({ parts }: StoredBilled['billed'], traffic: TrafficKind, day: Day): boolean =>
  Object.values(parts).some(({ calls }) => day in calls[traffic])
