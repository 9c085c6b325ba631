import { type CallSelection, callsReport } from '#lib/report/calls-report.ts'
import { type Dimension, FREE_CALL_REASONS } from '#lib/report/dimensions.ts'
import type { Report } from '#lib/report/report.ts'
import type { Store } from '#lib/store/store.ts'

interface FreeCallsOptions extends CallSelection {
  /** The dimensions of the rows behind the reason. */
  readonly by: readonly Dimension[]
}

/** Sums up the calls with billed seconds that cost their customers nothing, by reason. */
export function freeCallsReport(
  store: Store,
  { by, filters, ...selection }: FreeCallsOptions,
): Promise<Report> {
  return callsReport(store, {
    ...selection,
    by: ['free_reason', ...by.filter((dimension) => dimension !== 'free_reason')],
    filters: new Map([['free_reason', new Set<string>(FREE_CALL_REASONS)], ...filters]),
    measures: ['attempts', 'billsec', 'minutes', 'cost'],
    mobile: /\bmobile\b/i,
    groups: undefined,
  })
}
