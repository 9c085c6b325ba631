import { findAccount } from '#lib/accounts/account.ts'
import { ADMIN_ACCOUNT, type LimitedScope } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { suspendedByCustomer } from '#lib/cdrs/suspense/suspended-customers.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { type BilledCustomer, billMonth, issueLogged } from '#lib/invoicing/bill-month.ts'
import { chargesToIssue, chargesToPreview } from '#lib/invoicing/charges-of.ts'
import { type Month, periodOfMonth } from '#lib/invoicing/month.ts'
import { billedAccounts, openMonth } from '#lib/invoicing/month-customers.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { operatorOf, type TerminalAct } from '../../command-line/over-table.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import { CommandError } from '../../machine/terminal.ts'

/** Which documents an operator wants. */
export interface MonthOptions {
  readonly month: Month
  readonly customer?: string | undefined
  /** The reseller or partner whose customers are billed; without it, the customers of admin. */
  readonly seller?: string | undefined
  readonly despiteSuspense?: boolean | undefined
  readonly late?: boolean | undefined
}

/** Gets each customer, and the numbers of customers done and of all. */
export type NoteProgress = (done: number, total: number) => void

/** Previews a month, or issues it. The customers are in the order of their ids. */
export async function billWanted(
  store: Store,
  options: MonthOptions,
  act: TerminalAct & { readonly what: 'preview' | 'issue' },
  note: NoteProgress = () => {},
): Promise<BilledCustomer[]> {
  const { owner_id, ids } = await wantedCustomers(store, options)
  const { Timezone } = await settingsOf(store)
  const mediation = await openMediation(store, act.now)
  const run = await openMonth(store, {
    month: options.month,
    owner_id,
    now: act.now,
    suspended: await suspendedByCustomer(mediation, periodOfMonth(options.month, Timezone)),
    isDespiteSuspense: options.despiteSuspense ?? false,
    isLate: options.late,
    chargesOf: act.what === 'issue' ? chargesToIssue : chargesToPreview,
  })
  const billed: BilledCustomer[] = []
  const months =
    act.what === 'issue'
      ? issueLogged(run, ids, await operatorOf(store, act))
      : billMonth(run, ids, 'preview')
  for await (const customer of months) {
    billed.push(customer)
    note(billed.length, ids.length)
  }
  return billed
}

export async function wantedCustomers(
  store: Store,
  { customer, seller }: Pick<MonthOptions, 'customer' | 'seller'>,
): Promise<{ readonly owner_id: number; readonly ids: readonly number[] }> {
  const owner_id = seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id
  if (customer === undefined) return { owner_id, ids: await Array.fromAsync(billedAccounts(store, owner_id)) }
  const account = await findAccountNamed(store, customer)
  if (account.owner_id === owner_id) return { owner_id, ids: [account.id] }
  const owner = await findAccount(store, account.owner_id)
  throw new CommandError(
    `${account.username} is billed by ${owner?.username}: pass --seller ${owner?.username}`,
  )
}

/** A customer's month as JSON: amounts have all decimals of their currency. */
export const monthJson = ({
  account,
  products,
  outcome,
  number,
  currency,
  reason,
  unfit,
  ...row
}: BilledCustomer) => ({
  customer: account.username,
  outcome,
  number: number || null,
  currency,
  net: inMinorUnits(row.net, currency),
  vat: inMinorUnits(row.vat, currency),
  gross: inMinorUnits(row.gross, currency),
  suspended: row.suspended,
  reason: reason ? refusedCommand(reason).message : null,
  unfit: unfit ? refusedCommand(unfit).message : null,
  rows: products.map((product) => ({
    name: product.name,
    quantity: product.quantity,
    time: product.time || null,
    prefix: product.prefix || null,
    service_id: product.service_id ?? null,
    sum: inMinorUnits(product.sum, currency),
  })),
})

/** The lines about a customer's month: its amounts, and its rows if there is only one customer. */
export function monthLines(customer: BilledCustomer, withRows: boolean): string[] {
  const { account, outcome, number, currency, suspended } = customer
  const { net, vat, gross, rows, reason, unfit } = monthJson(customer)
  if (outcome === 'refused') return [`${account.username}: refused: ${reason}`]
  const inSuspense = suspended > 0 ? `, ${countOf(suspended, 'call')} in suspense` : ''
  if (outcome === 'empty' || (outcome === 'done' && number === ''))
    return [`${account.username}: nothing to bill${inSuspense}`]
  const said = { open: 'would be billed', issued: number, done: `${number} (issued before)` }[outcome]
  return [
    `${account.username}: ${said}: net ${net}, VAT ${vat}, gross ${gross} ${currency}${inSuspense}`,
    ...(unfit === null ? [] : [`  ${unfit}`]),
    ...(withRows ? rows.map((row) => `  ${row.name}: ${row.sum}`) : []),
  ]
}

/** The sums of a run in words, by outcome and currency. */
export function monthSummary(billed: readonly BilledCustomer[]): string {
  const outcomes = [...Map.groupBy(billed, ({ outcome }) => outcome)].map(
    ([outcome, some]) => `${some.length} ${outcome}`,
  )
  return `${countOf(billed.length, 'customer')}: ${outcomes.join(', ') || 'none'}`
}

/** The customers of an owner, or one of them, for a list of documents. */
export async function documentScopeOf(
  store: Store,
  { customer, seller }: Pick<MonthOptions, 'customer' | 'seller'>,
): Promise<LimitedScope> {
  if (customer !== undefined) return { user: (await findAccountNamed(store, customer)).id }
  return { owner: seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id }
}
