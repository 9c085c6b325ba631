import type { Seconds } from '#lib/domain/calendar.ts'

/** A CDR's hints at the customer of its call. A hint is blank if the CDR does not give it. */
export interface PartyHints {
  /** The account's username or id. */
  readonly accountCode: string
  /** The name of the device, as the channel has it. */
  readonly device: string
  /** The user by whose password the call was let in; never a name that a caller may choose freely. */
  readonly sipUser: string
  /** The number that was called from outside. */
  readonly did: string
  /** The address from which the call came. */
  readonly ip: string
}

/** A CDR's hints at the carriers of its call: termination and origination. */
export interface ProviderHints {
  readonly out: CarrierHints
  readonly in: CarrierHints
}

/** Candidates for the name of a carrier, its address, or a channel of its own. */
export interface CarrierHints {
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly channels: readonly string[]
}

/** A call as a switch reports it: without a price and without a customer. */
export interface Cdr {
  /** The switch's own id; blank where the switch gives none. */
  readonly uniqueid: string
  /** Tells apart the CDRs that a switch writes under one id: Asterisk's sequence, the tags of a SIP dialog. */
  readonly part: string
  readonly start: Seconds
  readonly src: string
  readonly dst: string
  /** Whole seconds from start to end; a second that has begun counts. */
  readonly duration: number
  /** Whole seconds from answer to end; a second that has begun counts. */
  readonly billsec: number
  /** ANSWERED, NO ANSWER, BUSY or FAILED, or the switch's own word when it is none of those we know. */
  readonly disposition: string
  /** A number of Q.850. */
  readonly hangupcause: number
  readonly channel: string
  readonly party: PartyHints
  readonly provider: ProviderHints
}

/** A SIP transaction that a proxy reports for accounting: an INVITE answered or refused, or a BYE. */
export interface DialogEvent {
  readonly tells: 'answered' | 'failed' | 'ended'
  readonly callId: string
  /** The tags of From and To; the side that hangs up has them the other way round. */
  readonly tags: readonly [string, string]
  readonly at: Seconds
  /** That of the final reply, which ended the transaction. */
  readonly sipStatus: number
  readonly src: string
  readonly dst: string
  readonly party: PartyHints
  readonly provider: ProviderHints
}

/** An event of a call in progress. */
export interface LiveEvent {
  readonly tells: 'started' | 'answered' | 'ended'
  readonly uniqueid: string
  /** The moment of the event, where the switch says it. */
  readonly at: Seconds | undefined
  readonly src: string
  readonly dst: string
  readonly channel: string
  readonly party: PartyHints
}

/** Why a CDR is in suspense. */
export const REASONS = [
  'unreadable',
  'too_large',
  'truncated',
  'impossible_time',
  'billed_exceeds_duration',
  'unknown_disposition',
  'no_start',
  'no_end',
  'unknown_account',
  'unknown_rate',
  'blocked_destination',
  'id_used',
  'invoiced',
  'version_gone',
  'came_priced',
] as const

export type Reason = (typeof REASONS)[number]

/** The reasons as earlier versions called them. Their entries and messages are still read. */
const EARLIER = new Map<string, Reason>([
  ['not of its format', 'unreadable'],
  ['wrong length', 'truncated'],
  ['more billed than elapsed', 'billed_exceeds_duration'],
  ['nobody’s call', 'unknown_account'],
  ["nobody's call", 'unknown_account'],
  ['not rated', 'unknown_rate'],
  ['id used by another call', 'id_used'],
])

/** The reason that a text names, in any of its spellings; the text itself where it names none. */
export function reasonOf(text: string): string {
  const word = text.trim().toLowerCase()
  return EARLIER.get(word) ?? word.replaceAll(' ', '_')
}

/** Why a CDR cannot be stored, for the operator. */
export interface Problem {
  readonly reason: Reason
  readonly detail: string
}

/** The content of a part of a document. A part that is deliberately not billed, such as a B-leg, is skipped. */
export type Found =
  | { readonly kind: 'cdr'; readonly cdr: Cdr }
  | { readonly kind: 'dialog_event'; readonly event: DialogEvent }
  | { readonly kind: 'live_event'; readonly event: LiveEvent }
  | { readonly kind: 'skipped' }
  | ({ readonly kind: 'problem' } & Problem)

/** A part of a document, one CDR as a rule, and what was found in it. */
export interface ParsedCdr {
  readonly found: Found
  /** The part's own text, from which it can be read again by itself. */
  readonly text: () => string
}

/** Thrown by a parser for a CDR, or a whole document, that cannot be read as it is. */
export class CdrRefused extends Error implements Problem {
  readonly reason: Reason

  /** Its stack is not captured: that takes longer than reading a CDR, and a refusal is an answer, not a bug. */
  constructor(reason: Reason, detail: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail)
    Error.stackTraceLimit = stackTraceLimit
    this.reason = reason
  }

  get detail(): string {
    return this.message
  }
}

/** The formats in which switches send CDRs and events of calls, by the names that operators give them. */
export const FORMAT_NAMES = [
  'freeswitch-json',
  'freeswitch-xml',
  'freeswitch-csv',
  'asterisk-csv',
  'asterisk-json',
  'kamailio-json',
  'kamailio-csv',
  'csv',
  'live',
] as const

export type FormatName = (typeof FORMAT_NAMES)[number]

export const isFormat = (name: string): name is FormatName =>
  (FORMAT_NAMES as readonly string[]).includes(name)

/** Formats of rows, which mean nothing without their header. */
export const isCsvFormat = (name: FormatName): boolean => name.endsWith('csv')

/** The bytes that a switch sends, holding one or more CDRs, and what is needed to read them. */
export interface CdrDocument {
  readonly format: FormatName
  /** The name under which the operator knows the switch. */
  readonly source: string
  /** The IANA name of the zone of its clock times; blank is the installation's. */
  readonly zone: string
  /** The columns of a CSV without a header. */
  readonly columns?: readonly string[] | undefined
  /** For the generic CSV: the column of each field, by the field's name. */
  readonly mapping?: Readonly<Record<string, string>> | undefined
  readonly text: string
  /** Where the text stays: an object of the bucket, or a file. Suspense names it when the text is too large. */
  readonly object?: string | undefined
}

/** The name of a switch, which is part of the identity of its calls. */
export const isSourceName = (text: string): boolean => /^[\w-]{1,40}$/.test(text)

/** A part as a parser yields it. */
export interface DocumentPart extends ParsedCdr {
  /** The part without the header that its text begins with; absent where its text has none. */
  readonly line?: () => string
}

/** The parser of a format. It yields the parts one by one, for they may be many; an array has one part. */
export type ReadFormat = (document: CdrDocument) => Iterable<DocumentPart>

/** A part that bills nothing, such as a B-leg. */
export const SKIPPED: Found = { kind: 'skipped' }

export const unreadable = (detail: string): Found => ({ kind: 'problem', reason: 'unreadable', detail })

/** Turns a refusal into the problem that it tells. */
export function foundBy(read: () => Found): Found {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CdrRefused)) throw error
    return { kind: 'problem', reason: error.reason, detail: error.detail }
  }
}
