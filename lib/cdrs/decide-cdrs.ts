import { ID_USED } from '#lib/base/row-refused.ts'
import type { Call } from '#lib/calls/call.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { isPricedElsewhere } from '#lib/calls/rating/call-rating.ts'
import {
  type CallVersion,
  type Decision,
  isSameCall,
  latestRatable,
  leavesArchivedDay,
  ratedChange,
  type SeenCall,
} from '#lib/calls/rating/change-calls.ts'
import {
  asOfCallStart,
  asOfCallStartOrNow,
  type InvoiceCheck,
  type RateBook,
} from '#lib/calls/rating/rate-book.ts'
import type { Problem } from './formats/cdr.ts'
import {
  type CdrVersion,
  contentDigest,
  digestWithoutShown,
  isAnswered,
  type MediationOutcome,
  type ResolvedVersion,
} from './mediation.ts'

// Decides about the CDRs of one identity, from the stored call and from the rates. Only rating reads.

/** The CDRs of one identity, oldest first, and the stored call. */
export type CdrCall = SeenCall<readonly CdrVersion[]>

/** A call that was invoiced is not corrected. */
export interface CorrectionBook extends RateBook {
  readonly isInvoiced: InvoiceCheck
}

export interface CdrDecision extends Decision {
  readonly outcomes: ReadonlyMap<CdrVersion, MediationOutcome>
}

/**
 * Decides the CDRs of one identity. A CDR is a duplicate, a version of a call, or it is refused. The rated
 * candidate is stored and corrects the earlier versions of its call.
 */
export async function decideCdrs(book: CorrectionBook, call: CdrCall): Promise<CdrDecision> {
  const { input, before } = call
  const calls = callsIn(call)
  const rated = await rateCandidates(book, call, calls)
  const accepted = acceptedFor(calls, rated.stored)
  const outcomes = new Map<CdrVersion, MediationOutcome>([
    ...input.map((version) => [version, knownOutcome(before, version) ?? 'duplicate'] as const),
    ...refusalsIn(calls, rated),
    ...accepted.map((version, index) => [version, before || index > 0 ? 'corrected' : 'stored'] as const),
  ])
  return { change: withDigests(call, rated.change, accepted), outcomes }
}

/** The first candidate of a call that can be rated, with its change, and why others cannot. */
interface RatedCandidate {
  readonly stored: ResolvedVersion | undefined
  readonly change: CallChange | undefined
  readonly refused: ReadonlyMap<CdrVersion, Problem>
}

/**
 * Rates the candidates of a call, the best one first, until one can be rated. A new call is rated as of its
 * arrival, a CDR that was suspended as of its start. A correction is rated as of the start of its call, and
 * is refused for a call whose price others know already.
 */
async function rateCandidates(
  book: CorrectionBook,
  { before }: CdrCall,
  calls: readonly OpenCall[],
): Promise<RatedCandidate> {
  const { change, accepted, refused } = await latestRatable(candidatesOf(calls).toReversed(), (version) => {
    const candidate = { row: version.resolved, digest: digestOf(version) }
    if (before) return correction(book, candidate, before, version.leg !== undefined)
    return ratedChange(version.isRetried ? asOfCallStartOrNow(book) : book, candidate, undefined)
  })
  return { stored: accepted.at(-1), change, refused }
}

/**
 * The versions that may be stored, the best one first: the latest one of each call, and its unanswered
 * versions after the first answered one only if none of the others can be stored. The first
 * of several calls that can be rated has the identity.
 */
const candidatesOf = (calls: readonly OpenCall[]): ResolvedVersion[] =>
  calls.flatMap(({ others, late }) => [...others.toReversed(), ...late.toReversed()])

/** A further leg of an invoiced call may name its carrier, if no price changes. */
async function correction(
  book: CorrectionBook,
  candidate: CallVersion,
  before: Call,
  isLeg: boolean,
): Promise<CallChange | Problem> {
  if (isPricedElsewhere(before)) return CAME_RATED
  const asOf = { ...asOfCallStart(book), internal: internalAs(before) }
  const change = await ratedChange(asOf, candidate, before)
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

/** The versions that the stored one replaces, and itself, oldest first. */
function acceptedFor(calls: readonly OpenCall[], stored: ResolvedVersion | undefined) {
  const versions = calls.flatMap(({ others, late }) => [others, late])
  const some = stored && versions.find((one) => one.includes(stored))
  return some ? some.slice(0, some.indexOf(stored) + 1) : []
}

/** The refusals of the candidates, as if none were stored. The identity belongs to the call that is. */
function refusalsIn(calls: readonly OpenCall[], { stored, refused }: RatedCandidate) {
  const versionsOf = calls.map(({ others, late }) => [...others, ...late])
  const taken = stored ? versionsOf.findIndex((versions) => versions.includes(stored)) : calls.length
  return versionsOf.flatMap((versions, index) =>
    versions.map((version) => {
      const beside = index > taken ? OTHER_CALL : lateRefusal(version)
      return [version, refused.get(version) ?? beside] as const
    }),
  )
}

/** The change of a call, which remembers the incoming versions, also those that are retried only now. */
function withDigests(
  call: CdrCall,
  change: CallChange | undefined,
  accepted: readonly ResolvedVersion[],
): CallChange | undefined {
  const before = withEarlierDigests(call)
  if (change)
    return { ...change, before, after: { ...change.after, cdr_digests: digestsOf(before, accepted) } }
  if (!before || before === call.before) return undefined
  return { before, after: { ...before, version: before.version + 1 } }
}

/** The versions of one call that neither the stored call nor an equal version decides. */
interface OpenCall {
  readonly others: readonly ResolvedVersion[]
  /** Unanswered, and after the first answered one. */
  readonly late: readonly ResolvedVersion[]
}

function callsIn(call: CdrCall): OpenCall[] {
  return [...Map.groupBy(openVersions(call), nameOfCall).values()].map((versions) => {
    const answered = versions.findIndex(({ row }) => isAnswered(row))
    const isAfterAnswer = ({ row }: CdrVersion, index: number) => index > answered && !isAnswered(row)
    return {
      others: versions.filter((version, index) => !isAfterAnswer(version, index)),
      late: versions.filter(isAfterAnswer),
    }
  })
}

/** The stored call, which remembers the earlier versions that are retried only now. */
function withEarlierDigests({ input, before }: CdrCall): Call | undefined {
  const earlier = input.filter(
    (version) => before && isEarlier(before, version) && !hasContent(before, version),
  )
  if (!before || earlier.length === 0) return before
  const contents = [...new Set(earlier.map(({ content }) => content)), ...digestsIn(before)]
  return { ...before, cdr_digests: contents.slice(-MAX_CDR_DIGESTS).join(' ') }
}

/**
 * Asterisk writes a CDR for each dial attempt of a channel (its CDR Specification): with the answered one,
 * the others say nothing about the call. Any other switch contradicts itself, and the operator decides.
 */
const lateRefusal = ({ idNames }: CdrVersion): MediationOutcome =>
  idNames === 'channel' ? 'skipped' : ALREADY_ANSWERED

const ALREADY_ANSWERED: Problem = {
  reason: 'already_answered',
  detail: 'this CDR says that the call was not answered, and an earlier one that it was',
}

/** The versions that neither the stored call nor an equal version decides. */
export function openVersions({ input, before }: CdrCall): ResolvedVersion[] {
  const open = input.filter(
    (version): version is ResolvedVersion => knownOutcome(before, version) === undefined,
  )
  return [...Map.groupBy(open, ({ content }) => content).values()].flatMap(([first]) => first ?? [])
}

/** The outcome without rates. The stored call decides first: a duplicate stays one without its account. */
const knownOutcome = (before: Call | undefined, version: CdrVersion): MediationOutcome | undefined =>
  (before && outcomeBeside(before, version)) ?? outcomeOfUnresolved(version)

/** An unanswered call of no known account bills nothing, and an operator could do nothing about it. */
function outcomeOfUnresolved({ resolved, row }: CdrVersion): MediationOutcome | undefined {
  if (!('reason' in resolved)) return undefined
  return resolved.reason === 'unknown_account' && !isAnswered(row) ? 'skipped' : resolved
}

/** The outcome that the stored call decides. */
function outcomeBeside(before: Call, version: CdrVersion): MediationOutcome | undefined {
  const { idNames, row, isOfLinkedCall } = version
  if (hasContent(before, version)) return 'duplicate'
  if (idNames !== 'dialog' && !isOfLinkedCall && !isSameCall(before, row)) return OTHER_CALL
  if (isAnswered(before) && !isAnswered(row)) return lateRefusal(version)
  return isEarlier(before, version) ? 'duplicate' : undefined
}

/**
 * A retried version is older than the stored one, which stays. A CDR that answers an unanswered call always
 * replaces it. Calls of earlier versions of Tollgate, and of datasets, have no time of arrival.
 */
function isEarlier(before: Call, { row, isRetried, arrival }: CdrVersion): boolean {
  if (!isRetried || arrival === undefined || !ARRIVAL.test(before.digest)) return false
  const isOfSameCall = isSameCall(before, row) && isAnswered(before) === isAnswered(row)
  return isOfSameCall && arrivalText(arrival).localeCompare(before.digest, 'en', { numeric: true }) < 0
}

/** The digest that a stored call has of the version that made it: when that came, or its content. */
const digestOf = ({ arrival, content }: CdrVersion): string =>
  arrival === undefined ? content : arrivalText(arrival)

/** The digest of a call that a CDR made: when the CDR came. It is as short as the digest of a content. */
const ARRIVAL = /^\d{12}#\d{3}(?:\.\d+)?$/

const arrivalText = (arrival: string): string => arrival.replace(/\.0+/, '.')

/** A call that a dataset brought has no digests and is compared by its columns. */
function hasContent(before: Call, { cdr, content, row }: CdrVersion): boolean {
  const known = digestsIn(before)
  // Earlier versions did not read the number that the carrier was shown, and not every document has it: a CDR
  // that only brings it, or lacks it, is not a correction.
  const withStored = () => contentDigest({ ...cdr, carrierSrc: cdr.carrierSrc ?? before.carrier_src })
  if ([content, digestWithoutShown(cdr), withStored()].some((digest) => known.includes(digest))) return true
  if (before.cdr_digests !== undefined) return false
  return COMPARED_COLUMNS.every((column) => before[column] === row[column])
}

const COMPARED_COLUMNS = [
  'calldate',
  'src',
  'dst',
  'duration',
  'billsec',
  'disposition',
  'hangupcause',
] as const

export const OTHER_CALL: Problem = {
  reason: 'id_used',
  detail: `${ID_USED}: the stored one has another start or other numbers`,
}

/** The versions of one call share its start and its numbers. */
const nameOfCall = ({ row: { calldate, src, dst } }: CdrVersion): string =>
  JSON.stringify([calldate, src, dst])

/** Only a dialog's call can begin on another day: its first INVITE was refused. */
const ARCHIVED_DAY: Problem = {
  reason: 'id_used',
  detail: `${ID_USED}: the stored one is archived under another day`,
}

const CAME_RATED: Problem = { reason: 'came_priced', detail: 'the stored call came with its prices' }

const invoiced = ({ day }: Call): Problem => ({
  reason: 'invoiced',
  detail: `its day ${day} is on an invoice of a payer`,
})

/** A stored call remembers this many versions. An older version that comes again counts as a correction. */
const MAX_CDR_DIGESTS = 8

const digestsOf = (before: Call | undefined, versions: readonly CdrVersion[]): string =>
  [
    ...(before ? digestsIn(before) : []),
    ...versions.flatMap(({ leg, content }) => [...(leg ? [contentDigest(leg)] : []), content]),
  ]
    .slice(-MAX_CDR_DIGESTS)
    .join(' ')

const digestsIn = ({ cdr_digests }: Call): readonly string[] => cdr_digests?.split(' ') ?? []
