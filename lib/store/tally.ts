import * as v from 'valibot'
import type { Tally } from '#lib/domain/calls/statistics.ts'

/** The sums of calls as entries of a schema. */
export const tallyEntries = {
  calls: v.number(),
  answered: v.number(),
  billsec: v.number(),
  revenue: v.string(),
  self_cost: v.string(),
} satisfies Record<keyof Tally, v.GenericSchema>
