import type { Seconds } from '#lib/domain/calendar.ts'

/** What a document says about whose call it is. Blank where it says nothing. */
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

/** What a document says about the carriers of a call: the one it went out to, and the one it came from. */
export interface ProviderHints {
  readonly out: CarrierHints
  readonly in: CarrierHints
}

/** What may be the name of a carrier, its address, or a channel of its own. */
export interface CarrierHints {
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly channels: readonly string[]
}

/** A call as a switch tells it: without a price, and nobody's yet. */
export interface SwitchCall {
  /** The switch's own id; blank where the switch gives none. */
  readonly uniqueid: string
  /** Tells apart the records that a switch writes under one id: Asterisk's sequence, the tags of a SIP dialog. */
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

/** One end of a call, which a proxy reports by itself. */
export interface Half {
  readonly tells: 'answered' | 'failed' | 'ended'
  readonly callId: string
  /** The tags of From and To; the side that hangs up has them the other way round. */
  readonly tags: readonly [string, string]
  readonly at: Seconds
  /** The one that ended the transaction: that of the final reply. */
  readonly sipStatus: number
  readonly src: string
  readonly dst: string
  readonly party: PartyHints
  readonly provider: ProviderHints
}

/** What happens to a call that goes on. */
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

/** Why something that arrived is kept aside instead of being stored. */
export const REASONS = [
  'not of its format',
  'too large',
  'wrong length',
  'impossible time',
  'more billed than elapsed',
  'unknown disposition',
  'no start',
  'no end',
  'nobody’s call',
  'not rated',
  'id used by another call',
] as const

export type Reason = (typeof REASONS)[number]

export type Found =
  | { readonly kind: 'call'; readonly call: SwitchCall }
  | { readonly kind: 'half'; readonly half: Half }
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly detail: string }

/** One record of a document: what it says, and its own part of the text, from which it can be read again. */
export interface Piece {
  readonly document: string
  readonly found: Found
}

/** From where a document comes, and how that switch writes. */
export interface Origin {
  /** The name under which the operator knows the switch. */
  readonly source: string
  /** In which its clock texts are, where they do not say it themselves. */
  readonly zone: string
  /** The columns of a CSV without a header. */
  readonly columns?: readonly string[]
  /** For the generic CSV: the column for each field, by the field's name. */
  readonly mapping?: Readonly<Record<string, string>>
}

/** A format: a document in, its records out. Something that is not a billed call makes no record. */
export type ReadFormat = (document: string, origin: Origin) => Piece[]

/** Why a document, or one record of it, cannot be taken as it is. */
export class DocumentRefused extends Error {
  readonly reason: Reason

  constructor(reason: Reason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** The record as read, or why it cannot be; nothing when it is not a billed call. */
export function pieceOf(document: string, read: () => Found | undefined): Piece[] {
  try {
    const found = read()
    return found ? [{ document, found }] : []
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    return [{ document, found: { kind: 'refused', reason: error.reason, detail: error.message } }]
  }
}
