import { createHash } from 'node:crypto'
import { type BaseIssue, getDotPath } from 'valibot'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { memoize } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { cutText, fitsXml } from '#lib/base/text.ts'
import { BLANK_CALL, type CallRow } from '#lib/calls/call.ts'
import { calledUser, readCalled } from '#lib/rates/numbers/called-text.ts'
import type { CarrierHints } from '#lib/rates/provider.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { momentText, padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { Cdr, DialogEvent, Found, ParsedCdr, PartyHints, Problem } from './formats/cdr.ts'
import type { CdrDocument } from './formats/formats.ts'

/** The table, the settings and the time that CDRs are mediated with. */
export interface MediationContext {
  readonly store: Store
  readonly settings: Settings
  readonly now: Seconds
  /** The place of `now` in the order of suspended CDRs. */
  readonly order: string
  /** The items of switches, as read when the mediation of some CDRs began. */
  readonly switchItems?: Map<string, readonly Item[]>
}

/** What joins CDRs of one call is kept so long, for those that are suspended or kept back by their switch. */
export const MATCHED_SECONDS = 30 * DAY_SECONDS

export async function openMediation(store: Store, now: Date): Promise<MediationContext> {
  return {
    store,
    settings: await settingsOf(store),
    now: secondsOf(now),
    order: arrivalOrder(now),
  }
}

/** The order of CDRs that come together: their second and millisecond. */
export const arrivalOrder = (now: Date): string =>
  [momentText(secondsOf(now)), String(now.getUTCMilliseconds()).padStart(3, '0')].join('#')

/** The order of one of them. Retries of an entry with one CDR do not lengthen its place. */
export const orderAt = (order: string, index: number): string =>
  index === 0 ? order : `${order}.${padded(index)}`

/** A part with its document, whose format and zone are needed to read the part again. */
export interface Part extends ParsedCdr {
  readonly document: CdrDocument
  /** It was suspended, and is mediated again. */
  readonly isRetried?: boolean
  /** Its place in the order of suspended CDRs, if it is not that of the mediation. */
  readonly order?: string | undefined
}

export type PartOf<K extends Found['kind']> = Part & { readonly found: Extract<Found, { readonly kind: K }> }

/**
 * The outcome of a part. `corrected`: the CDR replaced the stored call. `pending`: a dialog event has no
 * counterpart yet. `suspended`: suspense has the part already. A problem: the caller has to suspend the part.
 */
export type MediationOutcome =
  | 'stored'
  | 'duplicate'
  | 'corrected'
  | 'pending'
  | 'skipped'
  | 'suspended'
  | Problem

export type CdrOutcomes = ReadonlyMap<Cdr, MediationOutcome>

export type PartOutcome = readonly [part: Part, outcome: MediationOutcome]

/** A CDR that cannot be stored. */
export interface Refused {
  readonly part: Part
  readonly problem: Problem
}

export const refusedIn = (outcomes: readonly PartOutcome[]): Refused[] =>
  outcomes.flatMap(([part, problem]) => (typeof problem === 'object' ? [{ part, problem }] : []))

/** Returns whether the table has the call of a CDR after its mediation. */
export const isStoredOutcome = (outcome: MediationOutcome | undefined): boolean =>
  outcome === 'stored' || outcome === 'corrected' || outcome === 'duplicate'

/** A CDR on its way to a stored call: one of the versions of the call. */
export interface CdrVersion {
  /** The operator's name of the switch. */
  readonly source: string
  /** It stays the same object in every state of the version: outcomes are found by it. */
  readonly cdr: Cdr
  /**
   * The meaning of the CDR's unique id: one call, until the switch begins its numbering again; a channel,
   * which may make several calls; or a SIP dialog, whose call may be refused first and answered later.
   */
  readonly idNames: 'call' | 'channel' | 'dialog'
  /** It was suspended, and is mediated again: its price is that of its start. */
  readonly isRetried?: boolean | undefined
  /** Its switch may write the same call under an identity of another kind, by another configuration. */
  readonly hasIdentityKind?: boolean
  /** When it came first, in the order of suspense; absent for the CDR that dialog events make. */
  readonly arrival?: string | undefined
  /** The CDR of the leg alone, before the call's other legs added to it. If it returns, it is a duplicate. */
  readonly leg?: Cdr | undefined
  /** The digest of the content. It distinguishes a duplicate from a correction. */
  readonly content: string
  /** The columns that the CDR gives: customer and provider are not resolved. */
  readonly row: CallRow
  /** The row with customer and provider, or the reason why the call cannot be stored. */
  readonly resolved: CallRow | Problem
  /** It has the identity of a linked call, or of its half line: start and numbers may be others. */
  readonly isOfLinkedCall?: boolean
}

/** A version whose customer and provider are known. */
export interface ResolvedVersion extends CdrVersion {
  readonly resolved: CallRow
}

/** A version before account resolution. */
export function newVersion(
  given: Omit<CdrVersion, 'content' | 'row' | 'resolved' | 'isOfLinkedCall'>,
): CdrVersion {
  const { source, cdr } = given
  const content = contentDigest(cdr)
  const { start, disposition, duration, billsec, hangupcause } = cdr
  const [src, dst] = [storableNumber(cdr.src), storableNumber(cdr.dst)]
  const columns = { calldate: start, src, dst, disposition, duration, billsec, hangupcause }
  const numbers = {
    dialled_dst: optionalNumber(cdr.dialledDst),
    carrier_dst: optionalNumber(cdr.carrierDst),
    carrier_src: optionalNumber(otherCaller(cdr)),
  }
  const row = { ...BLANK_CALL, user_id: 0, ...identityOf(source, cdr), ...columns, ...numbers }
  return { ...given, content, row, resolved: NOT_RESOLVED }
}

const optionalNumber = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : storableNumber(text)

const NOT_RESOLVED: Problem = { reason: 'unknown_account', detail: 'its account was not looked up' }

export const isResolved = (version: CdrVersion): version is ResolvedVersion => !('reason' in version.resolved)

export const isAnswered = ({ disposition, billsec }: Pick<CallRow, 'disposition' | 'billsec'>): boolean =>
  disposition === 'ANSWERED' || billsec > 0

/** The answered versions whose customer and provider are known. */
export const answeredAmong = (versions: readonly CdrVersion[]): ResolvedVersion[] =>
  versions.filter(isResolved).filter(({ row }) => isAnswered(row))

/** The version with other columns, which do not change its customer and provider. */
export const withColumns = <V extends CdrVersion>(version: V, columns: Partial<CallRow>): V => ({
  ...version,
  row: { ...version.row, ...columns },
  resolved: isResolved(version) ? { ...version.resolved, ...columns } : version.resolved,
})

/** The problem of a row that the table cannot hold. It names the column. */
export const unstorable = (issue: BaseIssue<unknown>): Problem => ({
  reason: 'unreadable',
  detail: `${getDotPath(issue)}: ${issue.message}`,
})

/**
 * A digest of a CDR's content, in 22 characters, by which a duplicate differs from a correction of the same
 * identity. It covers what account resolution, provider resolution and rating read, but not the identity, nor
 * `channel`, which is not stored. The input is the parsed CDR: format and column order do not change it.
 */
export const contentDigest = memoize((cdr: Cdr): string =>
  createHash('sha256').update(contentOf(cdr)).digest('base64url').slice(0, 22),
)

/** The digest without the number that the carrier was shown, which earlier versions did not read. */
export const digestWithoutShown = (cdr: Cdr): string =>
  otherCaller(cdr) === undefined ? contentDigest(cdr) : contentDigest({ ...cdr, carrierSrc: undefined })

/** The number that the carrier was shown, unless it is the caller's own. */
function otherCaller({ src, carrierSrc }: Cdr): string | undefined {
  if (carrierSrc === undefined || carrierSrc === src) return undefined
  const [own, shown] = [readCalled(src), readCalled(carrierSrc)]
  return own.isNumber && own.digits === shown.digits ? undefined : carrierSrc
}

const contentOf = (cdr: Cdr) =>
  otherCaller(cdr) === undefined ? contentOfCall(cdr) : `${contentOfCall(cdr)}${otherCaller(cdr)}`

const contentOfCall = ({ party, provider, ...cdr }: Cdr) =>
  JSON.stringify([
    ...[cdr.start, cdr.src, cdr.dst, cdr.duration, cdr.billsec, cdr.disposition, cdr.hangupcause],
    [party.accountCode, party.device, party.sipUser, party.did, party.ip, ...causesIn(party)],
    carrierOf(provider.out),
    carrierOf(provider.in),
  ])

/** CDRs without these hints keep the digests of earlier versions. */
const causesIn = ({ reached, originator, payer }: PartyHints) =>
  reached === undefined && originator === undefined && payer === undefined
    ? []
    : [reached ?? '', originator ?? '', ...(payer === undefined ? [] : [payer])]

const carrierOf = ({ names, addresses, channels }: CarrierHints) => [names, addresses, channels]

/** A key of the table holds the unique id: 1 to 150 printable ASCII characters, no space. */
const STORABLE = /^[!-~]{1,150}$/

/**
 * A call's identity: switch, unique id and part. An id that cannot be stored, such as one with blanks, is
 * stored as a digest. A missing one is derived from the content digest, so the same CDR has the same id.
 */
export function identityOf(source: string, cdr: Cdr): CallIdentity {
  const { uniqueid, part } = cdr
  const derived = () => (hasId(uniqueid) ? `id\0${uniqueid}` : `${source}\0${digestWithoutShown(cdr)}`)
  return {
    source,
    uniqueid: storableId(uniqueid, derived()),
    source_part: part === '' ? undefined : storablePart(part),
  }
}

/** Blanks of other kinds than these are an id: a caller may choose them. */
export const hasId = (uniqueid: string): boolean => /[^ \t]/.test(uniqueid)

/** The maximum length of the column `source_part`. A SIP proxy lets callers choose tags of any length. */
const MAX_PART_CHARACTERS = 300

/** The part that tells apart the CDRs of one unique id, or its digest if it cannot be stored. */
export const storablePart = (part: string): string =>
  part.length <= MAX_PART_CHARACTERS && fitsXml(part) ? part : `made-${hexDigest(JSON.stringify(part))}`

/** The maximum length of the column of a number. */
export const MAX_NUMBER_CHARACTERS = 80

/** A number as its column holds it: of a longer one the URI's user part, without signs between digits. */
export const storableNumber = (number: string): string =>
  number.length <= MAX_NUMBER_CHARACTERS
    ? number
    : cutText(calledUser(number).replace(/[^\p{L}\d*#+]/gu, ''), MAX_NUMBER_CHARACTERS)

/** The unique id if it can be stored, otherwise one derived from `text`, which identifies the call. */
export const storableId = (uniqueid: string, text: string): string =>
  STORABLE.test(uniqueid) ? uniqueid : `made-${hexDigest(text).slice(0, 32)}`

/** The id of a CDR in suspense: a digest of identity and content if it can be read, otherwise of its text. */
export const entryIdOf = memoize(({ document: { source, format, object }, found, text }: Part): string =>
  hexDigest(identityText(found, source) ?? `${source}\0${format}\0${text() || object}`).slice(0, 24),
)

export const entryIdOfCdr = (source: string, cdr: Cdr): string => hexDigest(cdrText(source, cdr)).slice(0, 24)

function cdrText(source: string, cdr: Cdr): string {
  const content = digestWithoutShown(cdr)
  const { uniqueid, source_part = '' } = identityOf(source, cdr)
  return JSON.stringify(['cdr', source, uniqueid, source_part, content])
}

function identityText(found: Found, source: string): string | undefined {
  if (found.kind === 'cdr' || found.kind === 'leg') return cdrText(source, found.cdr)
  if (found.kind !== 'dialog_event') return undefined
  const { callId, tags } = found.event
  return JSON.stringify(['dialog_event', source, callId, tags.toSorted(), placeOfEvent(found.event)])
}

/** The key of an event within its dialog: a repeated report of the same event has the same key. */
export const placeOfEvent = ({ kind, at, sipStatus }: DialogEvent): string => `${kind}#${at}#${sipStatus}`
