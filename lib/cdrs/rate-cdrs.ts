import type { Call } from '#lib/calls/call.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { latestRatable, leavesArchivedDay, ratedChange } from '#lib/calls/rating/call-decision.ts'
import { isPricedElsewhere } from '#lib/calls/rating/call-rating.ts'
import { asOfCallStart, asOfCallStartOrNow, type RateBook } from '#lib/calls/rating/rate-book.ts'
import {
  ARCHIVED_DAY,
  CAME_RATED,
  type CdrCall,
  candidatesOf,
  digestOf,
  invoiced,
  type RatedCandidate,
} from './decide-cdrs.ts'
import type { Problem } from './formats/cdr.ts'

/**
 * Rates the candidates of a call, the best one first, until one can be rated. A new call is rated as of its
 * arrival, a CDR that was suspended as of its start. A correction is rated as of the start of its call, and
 * is refused for a call whose price others know already.
 */
export async function rateCandidates(book: RateBook, call: CdrCall): Promise<RatedCandidate> {
  const { change, standing, refused } = await latestRatable(candidatesOf(call).toReversed(), (version) => {
    const came = { row: version.resolved, digest: digestOf(version) }
    if (call.before) return correction(book, came, call.before, version.leg !== undefined)
    return ratedChange(version.isRetried ? asOfCallStartOrNow(book) : book, came, undefined)
  })
  return { stored: standing.at(-1), change, refused }
}

type CameVersion = Parameters<typeof ratedChange>[1]

/** A further leg of an invoiced call may name its carrier, if no price changes. */
async function correction(
  book: RateBook,
  came: CameVersion,
  before: Call,
  isLeg: boolean,
): Promise<CallChange | Problem> {
  if (isPricedElsewhere(before)) return CAME_RATED
  const asOf = { ...asOfCallStart(book), internal: internalAs(before) }
  const change = await ratedChange(asOf, came, before)
  if ('reason' in change) return change
  if (leavesArchivedDay(change, book.settings)) return ARCHIVED_DAY
  if (isLeg && PAID_COLUMNS.every((name) => before[name] === change.after[name])) return change
  const isInvoiced = (await book.isInvoiced(before)) || (await book.isInvoiced(change.after))
  return isInvoiced ? invoiced(before) : change
}

/** The columns of a call that the invoices of its payers use. */
const PAID_COLUMNS = ['user_id', 'calldate', 'dst', 'billsec', 'user_price', 'reseller_price'] as const

/** A correction is an internal call if the stored call was one, even if the extensions have changed since. */
const internalAs = ({ rated, dst }: Call): ReadonlySet<string> => new Set(rated === 'internal' ? [dst] : [])
