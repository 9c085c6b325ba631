import { valueAt } from '#lib/accounts/account-history.ts'
import { findPayers, type PayerAccount } from '#lib/accounts/limits.ts'
import type { Day } from '#lib/base/calendar.ts'
import { memoize, paired } from '#lib/base/collections.ts'
import type { Money } from '#lib/base/money.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { missingReference, refusedFor, rowRefused } from '#lib/base/row-refused.ts'
import { isLookupName } from '#lib/base/switch-names.ts'
import { isIssued, listInvoiceRows } from '#lib/billing/invoice.ts'
import { isMoneyWatched } from '#lib/billing/notifications/watched-balances.ts'
import { listDeviceRules } from '#lib/devices/device-rule-stored.ts'
import { devices, findDevice, locationOf } from '#lib/devices/device-stored.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { emergencyNumbers, isExtension } from '#lib/devices/extension.ts'
import { listLocationRules } from '#lib/devices/location-rule-stored.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import type { CallerNumber, CallersDevice } from '#lib/rates/numbers/caller-number.ts'
import type { DigitRule } from '#lib/rates/numbers/rated-number.ts'
import { findCallerOfRate } from '#lib/rates/origins/caller-lookup.ts'
import { findNpas, withJurisdiction } from '#lib/rates/origins/jurisdiction.ts'
import type { CallRate } from '#lib/rates/origins/matching.ts'
import { createPageMemory, type Version } from '#lib/rates/prefix-versions.ts'
import { findProviders, type Provider } from '#lib/rates/provider.ts'
import { isBlocked, type RatingMoment, unratedForm } from '#lib/rates/rating.ts'
import { findTariff, fromLine, OF_NO_ORIGIN, rateAmong, ratesOf, type Tariff } from '#lib/rates/tariff.ts'
import { listSwitches, listVersions, type VersionSwitch } from '#lib/rates/version-history.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup, type RowLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call, CallRow } from '../call.ts'

/**
 * The enabled rules for dialled numbers of a device, then those of its location. A rule of a location group
 * is left out: it is not known which callers are in a group.
 */
async function listDigitRules(store: Store, deviceId: number): Promise<readonly DigitRule[][]> {
  const [device, ofDevice] = await Promise.all([
    findDevice(store, deviceId),
    listDeviceRules(store, deviceId),
  ])
  const location = device && locationOf(device)
  const ofLocation = location === undefined ? [] : await listLocationRules(store, location)
  return [
    ofDevice.filter(({ enabled, pr_type }) => enabled && pr_type === 'dst'),
    ofLocation.filter(
      ({ enabled, lr_type, location_group_id }) =>
        enabled && lr_type === 'dst' && location_group_id === undefined,
    ),
  ]
}

/** The data that rates the calls of one batch, as of their arrival. Shared data is read once. */
export interface RateBook {
  readonly settings: Settings
  readonly accounts: RowLookup<PayerAccount>
  /** The dialled numbers that are extensions or emergency numbers. */
  readonly internal: ReadonlySet<string>
  readonly provider: (id: number) => Promise<Provider | undefined>
  /** The digit rules of a device, then those of its location; none unless they are applied. */
  readonly digitRules: (deviceId: number) => Promise<readonly (readonly DigitRule[])[]>
  /** Throws refused_row if the tariff, or the exchange rate of its currency, does not exist. */
  readonly tariff: (id: number) => Promise<RatingTariff>
  /** The words of a device, by which it may call, and the number that it shows. */
  readonly device: (deviceId: number) => Promise<CallersDevice | undefined>
  /** The rate of a dialled number, in digits, at a moment, for its caller. */
  readonly rate: (tariff: Tariff, call: NumberOfCaller) => Promise<CallRate | undefined>
  /** The versions of a tariff that are kept, and when each one came into force. */
  readonly history: (
    tariffId: number,
  ) => Promise<{ readonly switches: readonly VersionSwitch[]; readonly versions: readonly Version[] }>
  /** Counts an answered call that its provider's tariff does not rate. May throw the reason. */
  readonly noteUnknownMargin: (reason: Refusal<'refused_row'>) => void
  /** Counts a price by the oldest kept version of a tariff, in place of one that is no longer kept. */
  readonly noteOldestVersion: () => void
}

/** A dialled number, and its caller, who is read only for a tariff with origins. */
interface NumberOfCaller extends RatingMoment {
  readonly digits: string
  /** The length of the call, by which the highest rate of an invalid caller is found. */
  readonly seconds?: number
  /** Without it, the rate is that of a caller of no origin. */
  readonly caller?: () => Promise<CallerNumber>
}

export interface RatingTariff {
  readonly tariff: Tariff
  /** Units of the tariff's currency for one unit of the default currency. */
  readonly exchangeRate: Money
}

/** Reads the customers of the calls, their owners and the dialled extensions in a few round trips. */
export async function openRateBook(
  store: Store,
  calls: readonly CallRow[],
  known?: Settings,
): Promise<RateBook> {
  const settings = known ?? (await settingsOf(store))
  const accounts = batchedLookup((ids) => findPayers(store, ids))
  const readAccounts = async () => {
    const customers = await accounts(calls.map(({ user_id }) => user_id))
    await accounts([...customers.values()].map(({ owner_id }) => owner_id))
  }
  const [internal] = await Promise.all([internalNumbers(store, settings, calls), readAccounts()])
  return {
    settings,
    accounts,
    internal,
    provider: memoize(async (id) => (await findProviders(store, [id]))[0]),
    device: memoize((id) => devices.find(store, id)),
    digitRules: memoize(async (id) => (settings.Apply_Number_Rules ? listDigitRules(store, id) : [])),
    tariff: memoize((id) => findRatingTariff(store, settings, id)),
    rate: rememberedRates(store),
    history: memoize(async (id) => ({
      switches: await listSwitches(store, ratesOf(id)),
      versions: await listVersions(store, ratesOf(id)),
    })),
    noteUnknownMargin: ({ values }) =>
      store.meter.note(values.reason === 'blocked_destination' ? 'provider_blocked' : 'provider_unrated', 1),
    noteOldestVersion: () => store.meter.note('oldest_version', 1),
  }
}

/** Calls of one batch that are rated at the same time: they wait for the same pages. */
export const MAX_PARALLEL_RATINGS = 16

const MAX_REMEMBERED_NUMBERS = 20_000

/** Looks up the rates of a number once, however often it is called. */
function rememberedRates(store: Store): RateBook['rate'] {
  const findLines = createPageMemory(store)
  const ratesFor = memoize(
    async ({ tariff, digits }: { readonly tariff: Tariff; readonly digits: string }) =>
      (await findLines(ratesOf(tariff.id), tariff.active, digits)).map(fromLine),
    {
      max: MAX_REMEMBERED_NUMBERS,
      by: ({ tariff, digits }) => `${tariff.id} ${tariff.active?.version} ${digits}`,
    },
  )
  const originsFor = memoize(
    ({ tariff, caller }: { readonly tariff: Tariff; readonly caller: CallerNumber }) =>
      findCallerOfRate(findLines, tariff, caller, 0),
    {
      max: MAX_REMEMBERED_NUMBERS,
      by: ({ tariff, caller }) => `${tariff.id} ${tariff.active?.version} ${caller.digits} ${caller.detail}`,
    },
  )
  const npas = memoize((of: Store) => findNpas(of))
  const callerFor = async (tariff: Tariff, { caller: read, seconds = 0 }: NumberOfCaller) => {
    if (!read) return { from: undefined, caller: OF_NO_ORIGIN }
    const caller = await read()
    if (caller.digits === undefined) store.meter.note('caller_invalid', 1)
    return { from: caller.digits, caller: { ...(await originsFor({ tariff, caller })), seconds } }
  }
  return async (tariff, call) => {
    const reading = ratesFor({ tariff, digits: call.digits })
    const { caller: _, ...when } = call
    if (!tariff.active?.origins) return rateAmong(await reading, when)
    const [rates, found] = await Promise.all([reading, callerFor(tariff, call)])
    const { digits } = call
    const caller = await withJurisdiction(findLines, () => npas(store), rates, { ...found, digits })
    return rateAmong(rates, { ...when, caller })
  }
}

/**
 * The dialled numbers that are extensions or emergency numbers, and the texts without a number that name a
 * device. Looks up only the numbers of calls without a price, because only these are rated.
 */
async function internalNumbers(
  store: Store,
  settings: Settings,
  calls: readonly CallRow[],
): Promise<ReadonlySet<string>> {
  const isByCarrier = settings.Rated_Number === 'carrier'
  const hasCarrier = ({ provider_id, carrier_dst }: CallRow) =>
    isByCarrier && provider_id !== undefined && carrier_dst !== undefined
  const dialled = calls.flatMap((call) =>
    call.user_price === undefined && !hasCarrier(call) ? [call.dst] : [],
  )
  const wordIn = isByCarrier ? calledUser : (text: string) => text
  const isShort = (text: string) => unratedForm(text, settings) !== undefined
  const isWord = (text: string) => (isExtension(text) || isShort(text)) && isLookupName(text)
  const texts = [...new Set(dialled)]
  const words = [...new Set(texts.map(wordIn))].filter(isWord)
  const holders = paired(words, await findHolders(store, words))
  const isDevice = (text: string) => {
    const holder = holders.get(text)
    return holder !== undefined && (isShort(text) || holder.extension === text)
  }
  return new Set([...texts.filter((text) => isDevice(wordIn(text))), ...emergencyNumbers(settings)])
}

async function findRatingTariff(store: Store, settings: Settings, id: number): Promise<RatingTariff> {
  const tariff = await findTariff(store, id)
  if (!tariff) throw rowRefused(`there is no tariff ${id} to rate by`)
  const rates = await exchangeRatesOf(store, [tariff.currency], settings.Default_Currency)
  const exchangeRate = rates.get(tariff.currency)
  if (exchangeRate !== undefined) return { tariff, exchangeRate }
  throw rowRefused(`there is no currency ${tariff.currency}, in which tariff ${id} charges`)
}

/**
 * A rate book with the tariff versions that were in force when each call began, but none that came into force
 * after `till`, in Unix seconds. A call older than its tariff is rated by the first version of the tariff, as
 * it was on its arrival; one whose version is no longer kept, by the oldest that is, which is noted.
 */
export function asOfCallStart(book: RateBook, till = Number.POSITIVE_INFINITY): RateBook {
  const versionAt = async (tariffId: number, at: number): Promise<Version | undefined> => {
    const { switches, versions } = await book.history(tariffId)
    const last = switches.findLast((one) => Date.parse(one.at) <= at * 1000)
    const number = last ? last.to : (switches[0]?.from ?? switches[0]?.to)
    const version = versions.find((one) => one.version === number)
    if (!version && versions.length > 0) book.noteOldestVersion()
    return version ?? versions.at(-1)
  }
  const rate: RateBook['rate'] = async (tariff, call) =>
    book.rate({ ...tariff, active: await versionAt(tariff.id, Math.min(call.at, till)) }, call)
  return { ...book, rate }
}

/**
 * A rate book for suspended calls: each is rated by the versions in force when it began, as a correction is.
 * A number that had no rate then, or was blocked, is rated by the present version: so a retry can succeed.
 */
export function asOfCallStartOrNow(book: RateBook): RateBook {
  const asOf = asOfCallStart(book)
  const rate: RateBook['rate'] = async (tariff, call) => {
    const then = await asOf.rate(tariff, call)
    return then && !isBlocked(then) ? then : book.rate(tariff, call)
  }
  return { ...book, rate }
}

/** Throws refused_row `former_owner` for a call that the present owner did not sell (wire.md 7.1). */
export function refuseFormerOwner({ account, owner_id }: Customer, { calldate }: CallRow): void {
  const then = valueAt(account, 'owner_id', calldate)
  if (then === owner_id) return
  throw refusedFor(
    'former_owner',
    `the customer belonged to account ${then} then, and belongs to account ${owner_id} now: import the call with its owner_id and its price, or settle it by hand`,
  )
}

/** The customer of a call, and the owner to whom the call belongs. */
export interface Customer {
  readonly account: PayerAccount
  /** `undefined` if the account was deleted by another program. */
  readonly owner: PayerAccount | undefined
  readonly owner_id: number
  /** True if the customer belongs to admin: then the call has no reseller price. */
  readonly direct: boolean
}

/**
 * The customer of a call. A row may name the owner; otherwise a correction keeps the stored call's, and a new
 * call gets its account's present owner (wire.md 7.1). Throws refused_row for an unknown account.
 */
export async function customerOf(
  { accounts }: RateBook,
  { user_id, owner_id: given }: Pick<CallRow, 'user_id'> & { readonly owner_id?: number | undefined },
  before: Call | undefined,
): Promise<Customer> {
  const account = (await accounts([user_id])).get(user_id)
  if (!account) throw rowRefused(missingReference('user_id', 'account', user_id))
  const known = before?.user_id === user_id ? before : undefined
  const owner_id = given ?? (known ?? account).owner_id
  const owner = (await accounts([owner_id])).get(owner_id)
  return { account, owner, owner_id, direct: known?.owner_id === owner_id ? known.direct : isDirect(owner) }
}

const isDirect = (owner: PayerAccount | undefined): boolean =>
  owner === undefined || owner.usertype === 'admin'

/** The payers of a call whose low balance has a subscriber. */
export const watchedAmong = ({ settings }: RateBook, { account, owner, direct }: Customer): number[] =>
  [account, ...(direct || !owner ? [] : [owner])]
    .filter(
      (one) =>
        (one.daily_balance_limit !== undefined || one.alert_at !== '') &&
        isMoneyWatched(settings, one.owner_id),
    )
    .map(({ id }) => id)

interface InvoicedPeriods {
  /** The latest day of issue of an imported invoice. Every earlier day counts as invoiced. */
  readonly until: Day
  readonly periods: readonly { readonly from: Day; readonly till: Day }[]
}

export type InvoiceCheck = (call: Call) => Promise<boolean>

/**
 * Returns whether a payer of a call has an invoice for its day. The period of an invoice that was issued
 * here counts, unless it was credited; an imported one was issued on that day or later, or its period
 * contains the day. The invoices of each payer are read once.
 */
export function invoiceCheck(store: Store, { Correct_Invoiced_Days }: Settings): InvoiceCheck {
  if (Correct_Invoiced_Days) return async () => false
  const invoicedTo = memoize((user: number) => readInvoiced(store, user))

  return async ({ user_id, owner_id, direct, day }) => {
    const payers = direct ? [user_id] : [user_id, owner_id]
    const all = await Promise.all(payers.map(invoicedTo))
    return all.some((invoiced) => contains(invoiced, day))
  }
}

const contains = ({ until, periods }: InvoicedPeriods, day: Day): boolean =>
  day <= until || periods.some(({ from, till }) => from <= day && day <= till)

async function readInvoiced(store: Store, user: number): Promise<InvoicedPeriods> {
  let until: Day = ''
  const periods = []
  for await (const page of listInvoiceRows(store, { user })) {
    // The list ascends by day of issue.
    until = page.findLast((invoice) => !isIssued(invoice))?.issue_date ?? until
    for (const { period_from: from, period_till: till, credited_by } of page)
      if (from !== undefined && till !== undefined && credited_by === '') periods.push({ from, till })
  }
  return { until, periods }
}
