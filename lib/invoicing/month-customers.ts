import { pMapIterable } from 'p-map'
import { accountLists, findAccount } from '#lib/accounts/account.ts'
import { findWholeAccount, findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import type { Day } from '#lib/base/calendar.ts'
import { monthOf } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { openDirectory } from '#lib/calls/report/directory.ts'
import type { Destination } from '#lib/rates/destination.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { LabelledCalls } from './draft.ts'
import { addMonths, isMonthOver, type Month, monthInWords } from './month.ts'
import { type CustomerMonth, type MonthRun, readCustomerMonth } from './month-run.ts'
import { sellerOf } from './parties.ts'
import type { LabelCalls } from './used-calls.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The setting Invoices_From is blank. */
    readonly no_billing_start: Record<never, never>
    /** `month` in words. */
    readonly billed_month_open: { readonly month: string; readonly zone: string }
    /** Another owner bills the account. */
    readonly billed_by_other: { readonly username: string; readonly owner: string }
    readonly before_billing_start: { readonly month: Month; readonly from: Day }
  }
}

/** The month that an owner bills, and how. */
export type WantedMonth = Pick<
  MonthRun,
  'month' | 'owner_id' | 'now' | 'suspended' | 'isDespiteSuspense' | 'isLate' | 'chargesOf'
> & {
  /** The month may still run, but not lie ahead: nothing is issued. */
  readonly isDraft?: true
}

/** Opens a month. Throws Refusal until it is over (for a draft: begun), or if it is before Invoices_From. */
export async function openMonth(store: Store, wanted: WantedMonth): Promise<MonthRun> {
  const settings = await settingsOf(store)
  refuseMonth(wanted, settings)
  const owner = await findWholeAccount(store, wanted.owner_id)
  const labels = await openLabels(store, settings)
  return { ...wanted, store, settings, labels, seller: sellerOf(settings, owner), brand: '' }
}

function refuseMonth({ month, now, isDraft }: WantedMonth, { Invoices_From, Timezone }: Settings): void {
  if (Invoices_From === '') throw new Refusal('no_billing_start', {})
  if (!isMonthOver(isDraft ? addMonths(month, -1) : month, now, Timezone))
    throw new Refusal('billed_month_open', { month: monthInWords(month), zone: Timezone }, 'month')
  if (month < monthOf(Invoices_From))
    throw new Refusal('before_billing_start', { month, from: Invoices_From }, 'month')
}

const rowOfKind = (kind: LabelledCalls['kind']) => ({
  row: ` ${kind}`,
  kind,
  destination: '',
  origin: '',
  prefix: '',
})

const UNKNOWN = rowOfKind('other_destinations')
const INCOMING = rowOfKind('incoming')
const ALL = rowOfKind('calls')

/** The rows of calls, as the setting Invoice_Rows wants them. */
async function openLabels(store: Store, settings: Settings): Promise<LabelCalls> {
  if (settings.Invoice_Rows === 'all') return async () => () => ALL
  const locate = await openDirectory(store, settings)
  const byPrefix = settings.Invoice_Rows === 'prefix'
  return async (calls) => {
    const destinationOf = await locate(calls)
    return (call) => (call.incoming ? INCOMING : rowFor(destinationOf(call), call.origin, byPrefix))
  }
}

/** Calls of a destination whose callers decided have a row for each origin. */
function rowFor(found: Destination | undefined, origin = '', byPrefix: boolean) {
  if (!found) return UNKNOWN
  const { destination, prefix } = found
  const row = `${byPrefix ? prefix : destination}${origin && `\t${origin}`}`
  return { row, kind: 'calls' as const, destination, origin, prefix }
}

/** Account types with invoices. An admin bills resellers and partners, but not their customers. */
const BILLED_TYPES = new Set(['user', 'reseller', 'partner'])

/** The accounts that an owner bills, by id, from after an id on. */
export async function* billedAccounts(
  store: Store,
  ownerId: number,
  after: number | undefined = undefined,
): AsyncGenerator<number> {
  const partition = accountLists.ofOwner.partition(ownerId)
  for await (const page of store.pages({ index: 'GSI1', partition, attributes: ['id', 'usertype'] })) {
    for (const { id, usertype } of page)
      if (BILLED_TYPES.has(String(usertype)) && Number(id) > (after ?? -1)) yield Number(id)
  }
}

/** Throws Refusal for an account that another owner bills. */
export async function requireBilled(
  store: Store,
  { username, owner_id }: Pick<WholeAccount, 'username' | 'owner_id'>,
  ownerId: number,
): Promise<void> {
  if (owner_id === ownerId) return
  const owner = await findAccount(store, owner_id)
  throw new Refusal(
    'billed_by_other',
    { username, owner: owner?.username ?? `account ${owner_id}` },
    'customer',
  )
}

const PAGE_CUSTOMERS = 50

interface CustomerChoice {
  readonly after?: number | undefined
  /** The only customers, or all but these. */
  readonly only?: readonly number[] | undefined
  readonly except?: readonly number[] | undefined
  /** All of them are one page. */
  readonly isWhole?: boolean
}

/** A page of an owner's customers, by id, and the id after which the next one begins. */
export async function pageOfCustomers(
  store: Store,
  owner: number,
  { after = -1, only, except = [], isWhole }: CustomerChoice,
) {
  const chosen = only?.filter((id) => id > after).sort((one, other) => one - other)
  const ids: number[] = []
  const most = isWhole ? Number.POSITIVE_INFINITY : PAGE_CUSTOMERS
  let next: string | null = null
  for await (const id of chosen ?? billedAccounts(store, owner, after)) {
    if (ids.length === most) {
      next = String(ids.at(-1))
      break
    }
    ids.push(id)
  }
  return { page: ids.filter((id) => !except.includes(id)), next }
}

const ACCOUNTS_AT_ONCE = 50
const MONTHS_READ_AHEAD = 4

/** The months of customers in the order of their ids. Some are read ahead of the one that is used. */
export async function* customerMonths(
  run: MonthRun,
  ids: AsyncIterable<number> | Iterable<number>,
): AsyncGenerator<CustomerMonth> {
  const read = (account: WholeAccount) => readCustomerMonth(run, account)
  yield* pMapIterable(wholeAccounts(run, ids), read, {
    concurrency: MONTHS_READ_AHEAD,
    backpressure: MONTHS_READ_AHEAD,
  })
}

async function* wholeAccounts(run: MonthRun, ids: AsyncIterable<number> | Iterable<number>) {
  for await (const some of inBatches(ids, ACCOUNTS_AT_ONCE)) {
    for (const account of await findWholeAccounts(run.store, some))
      if (account && account.owner_id === run.owner_id && BILLED_TYPES.has(account.usertype)) yield account
  }
}
