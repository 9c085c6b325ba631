import { DAY_SECONDS, HOUR_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import type { DateOrder } from '#lib/base/date-order.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import type { AccountCodes } from '#lib/base/switch-names.ts'
import type { LengthForm } from '#lib/csv/headings.ts'
import type { ProviderHints } from '#lib/rates/provider.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { isKnownDisposition } from './call-result.ts'
import { quotedValue } from './fields.ts'

/** The hints of a CDR at the customer of its call. A hint that the CDR does not give is blank. */
export interface PartyHints {
  /** The account's username or id. */
  readonly accountCode: string
  /** The kind of the switch's account codes, as the operator says. */
  readonly codes?: AccountCodes | undefined
  readonly device: string
  /** The user that authenticated the call with a password; never a name that a caller may choose freely. */
  readonly sipUser: string
  /** The number that an outside caller dialled. */
  readonly did: string
  readonly ip: string
  /** The number that the caller reached before a transfer or forward: a device name or a DID. */
  readonly reached?: string
  /** The unique id of the leg that dialled this leg. The customer of its call is the customer of this one. */
  readonly originator?: string
  /** The account code of a leg between caller and trunk. If it names an account, that account pays. */
  readonly payer?: string
}

/** A call as a switch reports it, without prices and without a customer. */
export interface Cdr {
  /** The id that the switch gives; blank if it gives none. */
  readonly uniqueid: string
  /** Distinguishes CDRs with the same unique id: Asterisk's `sequence`, or the tags of a SIP dialog. */
  readonly part: string
  /** Asterisk's linked id: the unique id of the first channel of a call. */
  readonly linkedid?: string
  readonly start: Seconds
  readonly src: string
  readonly dst: string
  /** The dialled text, if `dst` is the number that the carrier was called with. */
  readonly dialledDst?: string | undefined
  /** The number that a carrier was called with, if the CDR has it. */
  readonly carrierDst?: string | undefined
  /** The caller's number as the carrier was shown it, if the CDR has it. */
  readonly carrierSrc?: string | undefined
  /** Seconds from start to end, rounded up. */
  readonly duration: number
  /** Seconds from answer to end, rounded up. */
  readonly billsec: number
  /** ANSWERED, NO ANSWER, BUSY or FAILED; an unknown word of the switch stays, in capitals. */
  readonly disposition: string
  /** A cause of ITU-T Q.850. */
  readonly hangupcause: number
  readonly channel: string
  /** The column that says that the call came in, and its value, as `direction=inbound`. */
  readonly incomingBy?: string
  readonly party: PartyHints
  readonly provider: ProviderHints
  /** The sides whose channel may have been dialled for a transferred call: this CDR has the rest of it. */
  readonly transferred?: { readonly out: boolean; readonly in: boolean }
  /** The peer that the switch called itself, without a number on it. */
  readonly dialledPeer?: string | undefined
  /** Several legs of FreeSWITCH's loopback report this call. */
  readonly loopback?: LoopbackLeg
}

/** The part of a leg in a call through FreeSWITCH's loopback. */
export interface LoopbackLeg {
  /** The loopback's dialler, a loopback leg that called a trunk, or a trunk that continues without it. */
  readonly role: 'dialler' | 'trunk' | 'inner'
  /** The unique ids of the leg and of the legs that it names. Legs of one call share one. */
  readonly ids: readonly string[]
  /** The number that was called through the loopback. */
  readonly number: string
  /** The leg is a call although no other leg of its loopback is known. */
  readonly billsAlone: boolean
  /** The switch does not say whether a loopback dialled the trunk. */
  readonly isUncertain?: true
}

/** A SIP transaction reported for accounting: an INVITE that was answered or refused, or a BYE. */
export interface DialogEvent {
  readonly kind: 'answered' | 'failed' | 'ended'
  readonly callId: string
  /** The tags of From and To. A BYE of the called side has them swapped. */
  readonly tags: readonly [string, string]
  readonly at: Seconds
  /** The part of a second after `at`, if the proxy has it. */
  readonly fraction?: number
  readonly sipStatus: number
  readonly src: string
  readonly dst: string
  readonly dialledDst?: string | undefined
  readonly carrierDst?: string | undefined
  readonly carrierSrc?: string | undefined
  readonly party: PartyHints
  readonly provider: ProviderHints
}

export interface LiveEvent {
  readonly kind: 'started' | 'answered' | 'ended'
  readonly uniqueid: string
  /** The moment of the event; `undefined` if the switch does not give it. */
  readonly at: Seconds | undefined
  readonly src: string
  readonly dst: string
  readonly channel: string
  readonly party: PartyHints
}

/** The reasons why a CDR is suspended. */
export const REASONS = [
  'unreadable',
  'too_large',
  'truncated',
  'impossible_time',
  'ambiguous_time',
  'no_duration',
  'billed_exceeds_duration',
  'unknown_disposition',
  'not_answered_but_billed',
  'too_long',
  'no_start',
  'no_end',
  'unknown_account',
  'unknown_rate',
  'ambiguous_number',
  'ambiguous_account',
  'blocked_destination',
  'id_used',
  'already_answered',
  'possible_duplicate',
  'invoiced',
  'version_gone',
  'former_owner',
  'came_priced',
] as const

export type Reason = (typeof REASONS)[number]

/** The reason why a CDR cannot be stored, with details for the operator. */
export interface Problem {
  readonly reason: Reason
  readonly detail: string
}

/**
 * The content of a part of a document. `skipped`: deliberately not billed, such as a B-leg. `leg`: it belongs
 * to the call of another leg.
 */
export type Found =
  | { readonly kind: 'cdr' | 'leg'; readonly cdr: Cdr }
  | { readonly kind: 'dialog_event'; readonly event: DialogEvent }
  | { readonly kind: 'live_event'; readonly event: LiveEvent }
  | { readonly kind: 'skipped' }
  | ({ readonly kind: 'problem' } & Problem)

/** A part of a document, usually one CDR, and its content. */
export interface ParsedCdr {
  readonly found: Found
  /** The text of the part. It can be parsed again without the rest of the document. */
  readonly text: () => string
  /** The text without the header; absent for formats without a header. */
  readonly line?: () => string
  /** The text of the document ends within this line: the switch may have been writing it. */
  readonly isUnended?: boolean
  /** Other lengths of its column may be digits of a clock: alone, it would be read as seconds. */
  readonly asksLengths?: boolean
}

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** A CDR or a whole document that cannot be parsed. */
    readonly refused_cdr: Problem
  }
}

/** Captures no stack: that takes longer than parsing a CDR, and a refusal is not a bug. */
export function cdrRefused(reason: Reason, detail: string): Refusal<'refused_cdr'> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const refusal = new Refusal('refused_cdr', { reason, detail }, undefined, detail)
  Error.stackTraceLimit = stackTraceLimit
  return refusal
}

/** Which of two values of one name a switch means is unknown. */
export const twoValuesOf = (name: string): Refusal<'refused_cdr'> =>
  cdrRefused('unreadable', `it has ${quotedValue(name)} twice, with other values: ${WRITE_ONCE}`)

const WRITE_ONCE = 'have the switch write it once'

/** The text that a switch sends, with one or more CDRs, and the details needed to parse it. */
export interface CdrText {
  /** The operator's name of the switch. */
  readonly source: string
  /** The IANA time zone of its clock times; blank for the zone of the installation. */
  readonly zone: string
  /** The columns of a CSV without a header. */
  readonly columns?: readonly string[] | undefined
  /** For the generic CSV: the column of each field, by the field's name. */
  readonly mapping?: Readonly<Record<string, string>> | undefined
  /** For CSV: the rows to mediate, as `column=value` or `column!=value`; all rows without it. */
  readonly where?: readonly string[] | undefined
  /** For the generic CSV: the order in times whose year comes last. */
  readonly dates?: DateOrder | undefined
  /** How lengths are written whose heading does not say it; `ask` if their digits may be a clock's. */
  readonly lengths?: LengthForm | 'ask' | undefined
  /** The kind of its account codes: either usernames or ids if absent. */
  readonly codes?: AccountCodes | undefined
  readonly text: string
  /** The bucket object or file with the text. Suspense refers to it when the text is too large. */
  readonly object?: string | undefined
}

/** Returns whether a text can be the name of a switch. The name is part of the identity of its calls. */
export const isSourceName = (text: string): boolean => /^[\w-]{1,40}$/.test(text)

/** A format's parser. It yields parts one by one: there may be many. An array is one part. */
export type ReadFormat = (document: CdrText) => Iterable<ParsedCdr>

/** For a part that bills nothing, such as a B-leg. */
export const SKIPPED: Found = { kind: 'skipped' }

export const unreadable = (detail: string): Found => ({ kind: 'problem', reason: 'unreadable', detail })

export const DAMAGED = unreadable(
  'it has a block of NUL, as a crash or a full disk leaves it: correct its line by hand, or drop it',
)

/** The contents that `read` returns, or the problem that it throws as refused_cdr. */
export function foundsBy(read: () => Found | readonly Found[]): readonly Found[] {
  try {
    return [read()].flat()
  } catch (error) {
    if (!isRefusal(error, 'refused_cdr')) throw error
    return [{ kind: 'problem', ...error.values }]
  }
}

const YEAR_2000 = Date.UTC(2000, 0) / 1000

/** The reason why no call can have these times, lengths and disposition; `undefined` for a plausible CDR. */
export function implausible(
  cdr: Cdr,
  { now, settings }: { readonly now: Seconds; readonly settings: Pick<Settings, 'Max_Call_Hours'> },
): Problem | undefined {
  return impossibleTime(cdr, now) ?? tooLong(cdr, settings) ?? impossibleBilling(cdr)
}

/** A switch reports a call when it has ended. Its clock, or its zone, may be a day ahead. */
function impossibleTime({ start, duration }: Cdr, now: Seconds): Problem | undefined {
  if (start < YEAR_2000) return { reason: 'impossible_time', detail: 'it begins before the year 2000' }
  const last = now + DAY_SECONDS
  if (start + duration <= last) return undefined
  const verb = start > last ? 'begins' : 'ends'
  return { reason: 'impossible_time', detail: `it ${verb} more than a day from now` }
}

/** Call control grants seconds of an answered call: those of its ringing come on top. */
function tooLong(
  { duration, billsec }: Cdr,
  { Max_Call_Hours = 0 }: Pick<Settings, 'Max_Call_Hours'>,
): Problem | undefined {
  const longer = Math.max(billsec, duration - billsec)
  if (Max_Call_Hours === 0 || longer <= Max_Call_Hours * HOUR_SECONDS) return undefined
  return {
    reason: 'too_long',
    detail: `${longer} seconds are more than Max_Call_Hours (${Max_Call_Hours})`,
  }
}

function impossibleBilling({ duration, billsec, disposition }: Cdr): Problem | undefined {
  if (billsec > duration) {
    return { reason: 'billed_exceeds_duration', detail: `${billsec} of ${duration} seconds are billed` }
  }
  if (billsec === 0 || disposition === 'ANSWERED') return undefined
  const reason = isKnownDisposition(disposition) ? 'not_answered_but_billed' : 'unknown_disposition'
  return { reason, detail: `${billsec} seconds are billed of a call that is ${JSON.stringify(disposition)}` }
}
