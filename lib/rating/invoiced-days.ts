import type { Day } from '#lib/domain/calendar.ts'
import { once } from '#lib/domain/collections.ts'
import { type Invoice, listInvoices } from '#lib/store/billing/invoice.ts'
import type { Call } from '#lib/store/calls/call.ts'
import type { Store } from '#lib/store/store.ts'

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
