import pMap from 'p-map'
import { DAY_SECONDS, type Seconds } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { ID_USED, KEPT_CHANGING, RowRefused } from '#lib/domain/row-refused.ts'
import { isKnownDisposition } from '#lib/mediation/formats/call-result.ts'
import type { Cdr, Problem } from '#lib/mediation/formats/cdr.ts'
import type { Mediation, MediationOutcome } from '#lib/mediation/mediation.ts'
import { resolveRows } from '#lib/mediation/resolve.ts'
import { DestinationBlocked, INTERNAL, rateCall } from '#lib/rating/call-rating.ts'
import {
  callChange,
  changeCalls,
  identityName,
  isSameCall,
  MAX_PARALLEL_RATINGS,
  type SeenCall,
} from '#lib/rating/call-writing.ts'
import {
  asOfCallStart,
  customerOf,
  invoiceCheck,
  openRateBook,
  type RateBook,
  VersionGone,
} from '#lib/rating/rate-book.ts'
import { BLANK_CALL, type Call, type CallRow } from '#lib/store/calls/call.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'
import { LeftUndone } from '#lib/store/requests/retries.ts'
import { contentDigest, identityOf } from './mediation.ts'

/** A CDR and the name of its switch. */
export interface SourcedCdr {
  readonly source: string
  readonly cdr: Cdr
}

/**
 * Stores each CDR once, as a rated call of its customer (wire.md 7.4). The stored call decides first: a duplicate stays a
 * duplicate even if its account would resolve to another customer today. Throws a transient error for a call that other
 * writers kept changing.
 */
export async function storeCdrs<C extends SourcedCdr>(
  mediation: Mediation,
  cdrs: readonly C[],
): Promise<Map<C, MediationOutcome>> {
  const outcomes = new Map<C, MediationOutcome>()
  const candidates: Candidate<C>[] = []
  for (const one of cdrs) {
    const problem = implausible(one.cdr, mediation.now)
    if (problem) outcomes.set(one, problem)
    else candidates.push(candidateOf(one))
  }
  const calls = [...groupBy(candidates, ({ row }) => identityName(row)).values()]
  const resolving = resolve(mediation, candidates)
  const decide = async (seen: readonly SeenCall<Candidate<C>[]>[]) =>
    decideAll(mediation, seen, await resolving)
  const [decided] = await Promise.all([
    changeCalls(mediation.store, calls, { identityOf: ([first]) => (first as Candidate<C>).row }, decide),
    resolving,
  ])
  if (decided.size < calls.length) throw new LeftUndone(KEPT_CHANGING)
  for (const decision of decided.values()) {
    for (const [{ one }, outcome] of decision.outcomes) outcomes.set(one, outcome)
  }
  return outcomes
}

/** A plausible CDR, its content digest, and the row of its call without customer and provider. */
interface Candidate<C extends SourcedCdr = SourcedCdr> {
  readonly one: C
  readonly content: string
  readonly row: CallRow
}

function candidateOf<C extends SourcedCdr>(one: C): Candidate<C> {
  const { source, cdr } = one
  const content = contentDigest(cdr)
  const { start, src, dst, disposition, duration, billsec, hangupcause } = cdr
  const columns = { calldate: start, src, dst, disposition, duration, billsec, hangupcause }
  return { one, content, row: { ...BLANK_CALL, user_id: 0, ...identityOf(source, cdr, content), ...columns } }
}

/** The rows of candidates with customer and provider, or the reason why one cannot be stored. */
type Resolved = ReadonlyMap<Candidate, CallRow | Problem>

async function resolve(mediation: Mediation, candidates: readonly Candidate[]): Promise<Resolved> {
  const cdrs = candidates.map(({ one: { cdr }, row }) => ({ cdr, row }))
  const rows = await resolveRows(mediation, cdrs)
  return new Map(candidates.map((one, place) => [one, rows[place] as CallRow | Problem]))
}

/** The outcomes of the CDRs of one call. */
interface Decision<C extends SourcedCdr> {
  readonly outcomes: Map<Candidate<C>, MediationOutcome>
  readonly change?: CallChange | undefined
}

/** The candidates of one identity that the stored call does not decide. */
interface OpenCall<C extends SourcedCdr> extends Decision<C> {
  readonly before: Call | undefined
  readonly open: readonly Candidate<C>[]
}

async function decideAll<C extends SourcedCdr>(
  { store, settings }: Mediation,
  seen: readonly SeenCall<Candidate<C>[]>[],
  resolved: Resolved,
): Promise<Decision<C>[]> {
  const calls = seen.map((one) => withoutDuplicates(one, resolved))
  const rows = calls.flatMap(({ open }) => open.map((one) => resolved.get(one) as CallRow))
  if (rows.length === 0) return calls
  const book = await openRateBook(store, rows, settings)
  const rating = { book, asOf: asOfCallStart(book), resolved, isInvoiced: invoiceCheck(store) }
  return pMap(calls, (call) => decideOpen(rating, call), { concurrency: MAX_PARALLEL_RATINGS })
}

/** Decides duplicates and unresolved candidates. Among candidates with the same content the first one is kept. */
function withoutDuplicates<C extends SourcedCdr>(
  { group, before }: SeenCall<Candidate<C>[]>,
  resolved: Resolved,
): OpenCall<C> {
  const outcomes = new Map<Candidate<C>, MediationOutcome>()
  const open = new Map<string, Candidate<C>>()
  for (const candidate of group) {
    const outcome = outcomeBefore(before, candidate) ?? unresolved(resolved, candidate)
    if (outcome) outcomes.set(candidate, outcome)
    else if (open.has(candidate.content)) outcomes.set(candidate, 'duplicate')
    else open.set(candidate.content, candidate)
  }
  return { outcomes, before, open: [...open.values()] }
}

/** The outcome if the stored call decides it. */
function outcomeBefore(before: Call | undefined, candidate: Candidate): MediationOutcome | undefined {
  if (!before) return undefined
  if (hasContent(before, candidate)) return 'duplicate'
  return isSameCall(before, candidate.row) ? undefined : OTHER_CALL
}

function unresolved(resolved: Resolved, candidate: Candidate): Problem | undefined {
  const row = resolved.get(candidate)
  return row && 'reason' in row ? row : undefined
}

const OTHER_CALL: Problem = {
  reason: 'id_used',
  detail: `${ID_USED}: the stored one has another start or other numbers`,
}

/** A call that a dataset brought has no digests and is compared by its columns. */
function hasContent(before: Call, { content, row }: Candidate): boolean {
  if (before.cdr_digests !== undefined) return before.cdr_digests.split(' ').includes(content)
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

interface Rating {
  readonly book: RateBook
  /** The rates that were in force when a call began: corrections are rated with them. */
  readonly asOf: RateBook
  readonly resolved: Resolved
  readonly isInvoiced: (call: Call) => Promise<boolean>
}

/**
 * The first call that can be rated gets the identity, and the other calls of the batch are suspended. Within a group the
 * identity check is not needed: the versions of one call share its start and its numbers.
 */
async function decideOpen<C extends SourcedCdr>(rating: Rating, call: OpenCall<C>): Promise<Decision<C>> {
  const { outcomes, before, open } = call
  const calls = groupBy(open, ({ row: { calldate, src, dst } }) => JSON.stringify([calldate, src, dst]))
  let change: CallChange | undefined
  for (const versions of calls.values()) {
    if (change) for (const version of versions) outcomes.set(version, OTHER_CALL)
    else change = await lastChange(rating, { outcomes, before, open: versions })
  }
  return { outcomes, change }
}

/** The change of the last version that can be rated: it corrects the versions before it. */
async function lastChange<C extends SourcedCdr>(
  rating: Rating,
  { outcomes, before, open }: OpenCall<C>,
): Promise<CallChange | undefined> {
  for (const [place, version] of [...open.entries()].toReversed()) {
    const versions = open.slice(0, place + 1)
    const change = await changeOrProblem(rating, versions, before)
    if ('reason' in change) outcomes.set(version, change)
    else return noteStored(outcomes, versions, change)
  }
  return undefined
}

function noteStored<C extends SourcedCdr>(
  outcomes: Map<Candidate<C>, MediationOutcome>,
  versions: readonly Candidate<C>[],
  change: CallChange,
): CallChange {
  for (const [place, version] of versions.entries()) {
    outcomes.set(version, place > 0 || change.before ? 'corrected' : 'stored')
  }
  return change
}

/** The change that stores the last of these versions, or the reason why it cannot be stored. */
async function changeOrProblem(
  { book, asOf, resolved, isInvoiced }: Rating,
  versions: readonly Candidate[],
  before: Call | undefined,
): Promise<CallChange | Problem> {
  const version = versions.at(-1) as Candidate
  const row = resolved.get(version) as CallRow
  if (before && cameRated(before)) return CAME_RATED
  try {
    const customer = await customerOf(book, row, before)
    const inForce = before ? { ...asOf, internal: internalAs(before) } : book
    const rated = await rateCall(inForce, row, customer)
    const cdr_digests = digestsOf(before, versions)
    const digest = version.content
    const change = callChange(inForce, before, customer, { row, rated: { ...rated, cdr_digests }, digest })
    return (before && (await invoicedProblem(isInvoiced, before, change.after))) ?? change
  } catch (error) {
    return problemIn(error)
  }
}

/** The call was stored with the customer's price, so it was not rated here. */
const cameRated = ({ rated }: Call): boolean => rated !== INTERNAL && !rated.split(' ').includes('user')

const CAME_RATED: Problem = { reason: 'came_priced', detail: 'the stored call came with its prices' }

/** A correction is an internal call if the stored call was one, even if the extensions have changed since. */
const internalAs = ({ rated, dst }: Call): ReadonlySet<string> => new Set(rated === INTERNAL ? [dst] : [])

async function invoicedProblem(
  isInvoiced: Rating['isInvoiced'],
  before: Call,
  after: Call,
): Promise<Problem | undefined> {
  const is = (await isInvoiced(before)) || (await isInvoiced(after))
  return is ? { reason: 'invoiced', detail: `its day ${before.day} is on an invoice of a payer` } : undefined
}

/** A stored call remembers this many versions. An older version that comes again counts as a correction. */
const MAX_CDR_DIGESTS = 8

const digestsOf = (before: Call | undefined, versions: readonly Candidate[]): string =>
  [...(before?.cdr_digests?.split(' ') ?? []), ...versions.map(({ content }) => content)]
    .slice(-MAX_CDR_DIGESTS)
    .join(' ')

function problemIn(error: unknown): Problem {
  if (error instanceof VersionGone) return { reason: 'version_gone', detail: error.message }
  if (error instanceof DestinationBlocked) return { reason: 'blocked_destination', detail: error.message }
  if (error instanceof RowRefused) return { reason: 'unknown_rate', detail: error.message }
  throw error
}

const YEAR_2000 = Date.UTC(2000, 0) / 1000

/** The reason why no call can have these times, lengths and disposition; `undefined` for a plausible CDR. */
export function implausible(cdr: Cdr, now: Seconds): Problem | undefined {
  const { start, duration, billsec, disposition } = cdr
  if (start < YEAR_2000) return { reason: 'impossible_time', detail: 'it begins before the year 2000' }
  if (start > now + DAY_SECONDS)
    return { reason: 'impossible_time', detail: 'it begins more than a day from now' }
  if (billsec > duration) {
    return { reason: 'billed_exceeds_duration', detail: `${billsec} of ${duration} seconds are billed` }
  }
  if (billsec > 0 && !isKnownDisposition(disposition)) {
    const detail = `${billsec} seconds are billed of a call that is ${JSON.stringify(disposition)}`
    return { reason: 'unknown_disposition', detail }
  }
  return undefined
}
