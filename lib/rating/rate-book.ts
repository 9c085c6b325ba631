import type { Day } from '#lib/domain/calendar.ts'
import { once } from '#lib/domain/collections.ts'
import { emergencyNumbers } from '#lib/domain/devices/extension.ts'
import type { Money } from '#lib/domain/money.ts'
import type { Rate, RatingMoment } from '#lib/domain/rates/rating.ts'
import { missingReference, RowRefused } from '#lib/domain/row-refused.ts'
import { readSettings, type Settings } from '#lib/domain/settings.ts'
import { type Account, findAccounts } from '#lib/store/accounts/account.ts'
import { type Invoice, listInvoices } from '#lib/store/billing/invoice.ts'
import type { Call, CallRow } from '#lib/store/calls/call.ts'
import { findExtensions } from '#lib/store/devices/extension.ts'
import { createLookup, type RowLookup } from '#lib/store/entity.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { exchangeRatesOf } from '#lib/store/rates/currency.ts'
import type { Version } from '#lib/store/rates/prefix-versions.ts'
import { findProviders, type Provider } from '#lib/store/rates/provider.ts'
import {
  findRatesFor,
  findTariff,
  rateAmong,
  switchesOfRates,
  type Tariff,
  versionsOfRates,
} from '#lib/store/rates/tariff.ts'
import type { VersionSwitch } from '#lib/store/rates/version-history.ts'
import type { Store } from '#lib/store/store.ts'

/** Everything that the calls of one batch are rated by, as it is on their arrival. Shared data is read once. */
export interface RateBook {
  readonly store: Store
  readonly settings: Settings
  readonly accounts: RowLookup<Account>
  /** Those of the dialled numbers that are extensions or emergency numbers. */
  readonly internal: ReadonlySet<string>
  readonly provider: (id: number) => Promise<Provider | undefined>
  /** Throws RowRefused when there is no such tariff, or no exchange rate of its currency. */
  readonly tariff: (id: number) => Promise<PricedTariff>
  /** The rate of a dialled number, in digits, at a moment. */
  readonly rate: (tariff: Tariff, call: RatedCall) => Promise<Rate | undefined>
}

/** The dialled digits and the moment by which a rate is looked up. */
export type RatedCall = RatingMoment & { readonly digits: string }

export interface PricedTariff {
  readonly tariff: Tariff
  /** Units of its currency for one unit of the default one. */
  readonly exchangeRate: Money
}

/** The customers of the calls and their owners are read at once, and so is which numbers are extensions. */
export async function openRateBook(
  store: Store,
  calls: readonly CallRow[],
  known?: Settings,
): Promise<RateBook> {
  const settings = known ?? readSettings(await findSettings(store))
  const accounts = createLookup((ids) => findAccounts(store, ids))
  const customers = await accounts(calls.map(({ user_id }) => user_id))
  await accounts([...customers.values()].map(({ owner_id }) => owner_id))
  return {
    store,
    settings,
    accounts,
    internal: await internalNumbers(store, settings, calls),
    provider: once(async (id) => (await findProviders(store, [id]))[0]),
    tariff: once((id) => findPricedTariff(store, settings, id)),
    rate: rememberedRates(store),
  }
}

const MAX_NUMBERS = 20_000

/** A number that is called often is looked up once. */
function rememberedRates(store: Store): RateBook['rate'] {
  let known = new Map<string, Promise<Rate[]>>()
  return async (tariff, call) => {
    const name = `${tariff.id} ${tariff.active?.version} ${call.digits}`
    if (known.size > MAX_NUMBERS) known = new Map()
    const rates = known.get(name) ?? findRatesFor(store, tariff, call.digits)
    known.set(name, rates)
    return rateAmong(await rates, call)
  }
}

/** Only numbers of calls that are to be rated are looked up. */
async function internalNumbers(
  store: Store,
  settings: Settings,
  calls: readonly CallRow[],
): Promise<ReadonlySet<string>> {
  const dialled = calls.flatMap(({ dst, user_price }) => (user_price === undefined ? [dst] : []))
  return new Set([...(await findExtensions(store, dialled)), ...emergencyNumbers(settings)])
}

async function findPricedTariff(store: Store, settings: Settings, id: number): Promise<PricedTariff> {
  const tariff = await findTariff(store, id)
  if (!tariff) throw new RowRefused(`there is no tariff ${id} to rate by`)
  const rates = await exchangeRatesOf(store, [tariff.currency], settings.Default_Currency)
  const exchangeRate = rates.get(tariff.currency)
  if (exchangeRate !== undefined) return { tariff, exchangeRate }
  throw new RowRefused(`there is no currency ${tariff.currency}, that of tariff ${id}`)
}

/** The version of a tariff that was in force when a call began is not kept any more. */
export class VersionGone extends RowRefused {}

/**
 * The same book with the rates of the tariff versions that were in force when each call began. A call older than its
 * tariff is rated by the tariff's first version, as it was when it arrived. `rate` throws VersionGone.
 */
export function asOfCallStart(book: RateBook): RateBook {
  const history = once(async (tariffId) => ({
    switches: await switchesOfRates(book.store, tariffId),
    versions: await versionsOfRates(book.store, tariffId),
  }))
  const versionAt = async (tariffId: number, at: number): Promise<Version | undefined> => {
    const { switches, versions } = await history(tariffId)
    if (versions.length === 0) return undefined
    const last = switches.findLast((one) => Date.parse(one.at) <= at * 1000)
    const number = last ? last.to : firstVersionIn(switches)
    const version = versions.find((one) => one.version === number)
    if (version) return version
    throw new VersionGone(`the version of tariff ${tariffId} that was in force then is not kept any more`)
  }
  const rate: RateBook['rate'] = async (tariff, call) =>
    book.rate({ ...tariff, active: await versionAt(tariff.id, call.at) }, call)
  return { ...book, rate }
}

/** `undefined` when the log of switches does not reach back to the first import. */
const firstVersionIn = ([first]: readonly VersionSwitch[]): number | undefined =>
  first?.from === undefined ? first?.to : undefined

/** The customer of a call, under the owner for whom the call counts. */
export interface Customer {
  readonly account: Account
  /** It is missing when the account was deleted from outside of this service. */
  readonly owner: Account | undefined
  readonly owner_id: number
  /** Whether nobody stands between the customer and admin: then there is no reseller's price. */
  readonly direct: boolean
}

/**
 * Whose customer a call counts for. A call that is corrected stays with the owner at the time it was first stored, and
 * is priced as that one's, unless the record says whose it is (wire.md 7.1). Throws RowRefused when the customer does not exist.
 */
export async function customerOf(
  { accounts }: RateBook,
  { user_id, owner_id: given }: Pick<CallRow, 'user_id'> & { readonly owner_id?: number | undefined },
  before: Call | undefined,
): Promise<Customer> {
  const account = (await accounts([user_id])).get(user_id)
  if (!account) throw new RowRefused(missingReference('user_id', 'account', user_id))
  const known = before?.user_id === user_id ? before : undefined
  const owner_id = given ?? (known ?? account).owner_id
  const owner = (await accounts([owner_id])).get(owner_id)
  return { account, owner, owner_id, direct: known?.owner_id === owner_id ? known.direct : isDirect(owner) }
}

const isDirect = (owner: Account | undefined): boolean => owner === undefined || owner.usertype === 'admin'

/** The days of a payer whose calls are on an invoice. */
interface Invoiced {
  /** The last day of issue: everything until then counts as billed. */
  readonly until: Day
  readonly periods: readonly { readonly from: Day; readonly till: Day }[]
}

/**
 * Whether somebody who pays for a call has an invoice that was issued on its day or later, or one whose period holds it.
 * The invoices of each payer are read once.
 */
export function invoicedDays(store: Store): (call: Call) => Promise<boolean> {
  const invoicedTo = once((user: number) => readInvoiced(store, user))

  return async ({ user_id, owner_id, direct, day }) => {
    const payers = direct ? [user_id] : [user_id, owner_id]
    const all = await Promise.all(payers.map(invoicedTo))
    return all.some((invoiced) => holds(invoiced, day))
  }
}

const holds = ({ until, periods }: Invoiced, day: Day): boolean =>
  day <= until || periods.some(({ from, till }) => from <= day && day <= till)

async function readInvoiced(store: Store, user: number): Promise<Invoiced> {
  let until: Day = ''
  const periods = []
  for await (const page of listInvoices(store, { user })) {
    until = page.reduce((latest, { issue_date }) => (issue_date > latest ? issue_date : latest), until)
    periods.push(...page.flatMap(periodOf))
  }
  return { until, periods }
}

const periodOf = ({ period_from: from, period_till: till }: Invoice) =>
  from === undefined || till === undefined ? [] : [{ from, till }]
