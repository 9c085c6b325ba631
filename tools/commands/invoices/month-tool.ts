import type { ActContext } from '#lib/acts/context.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { ADMIN_ACCOUNT, type LimitedScope } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { issueMonth, previewMonth } from '#lib/cdrs/pipeline/issue-month.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import type { BilledCustomer } from '#lib/invoicing/bill-month.ts'
import type { Month } from '#lib/invoicing/month.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs, contextAt } from '../../command-line/act-commands.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import type { TerminalAct } from '../../command-line/over-table.ts'
import { refusedCommand } from '../../command-line/remedies.ts'

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
  { month, customer, seller, late, despiteSuspense }: MonthOptions,
  { what, ...act }: TerminalAct & { readonly what: 'preview' | 'issue' },
  note: NoteProgress = () => {},
): Promise<readonly BilledCustomer[]> {
  const switches = { late: late && 'yes', 'despite-suspense': despiteSuspense && 'yes' }
  const given = { month, customer, seller, ...switches } as GivenTexts
  const onProgress: ActContext['onProgress'] = (step) =>
    typeof step === 'object' && note(step.done, step.total)
  const by = { ...act, onProgress }
  if (what === 'issue') return (await carryOutAs(store, issueMonth, by, given)).answer.customers
  return (await previewMonth(await contextAt(store, by), given)).customers
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
