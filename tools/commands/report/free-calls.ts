import { type CallSelection, callsReport } from '#lib/calls/report/calls-report.ts'
import { type Dimension, FREE_CALL_REASONS } from '#lib/calls/report/dimensions.ts'
import type { Report } from '#lib/calls/report/report.ts'
import type { Store } from '#lib/table/store.ts'

/** Sums up calls with billed seconds that cost their customers nothing, by reason, then further. */
export function freeCallsReport(
  store: Store,
  { by, filters, ...selection }: CallSelection & { readonly by: readonly Dimension[] },
): Promise<Report> {
  return callsReport(store, {
    ...selection,
    by: ['free_reason', ...by.filter((dimension) => dimension !== 'free_reason')],
    filters: new Map([['free_reason', new Set<string>(FREE_CALL_REASONS)], ...filters]),
    measures: ['attempts', 'billsec', 'minutes', 'cost'],
    groups: undefined,
  })
}
