import type { Framed } from '#test/mediation/written-cdrs.ts'

/** A call as its switch tells it. Several CDRs may tell different lengths: the stored one is among them. */
export interface SentCall {
  readonly source: string
  readonly uniqueid: string
  readonly account: string
  readonly userId: number
  readonly start: number
  readonly src: string
  readonly dst: string
  readonly lengths: number[]
  /** Of an authorised call: the seconds that its hold pays. */
  readonly granted?: number
}

/** A document that its switch sends until it is answered with 200. */
export interface Outgoing extends Framed {
  readonly calls: readonly SentCall[]
  /** What this document says of them. */
  readonly told: readonly { readonly uniqueid: string; readonly length: number }[]
}

/** What may have been done: `unknown` if the answer was lost or its function was killed. */
export type Certainty = 'done' | 'unknown'

export interface Paid {
  readonly reference: string
  readonly userId: number
  readonly amount: string
  known: Certainty
  /** The id, if it was answered. */
  id?: number
  takenBack?: Certainty
}

export interface Authorised extends SentCall {
  readonly granted: number
  readonly begun: number
  readonly length: number
}

/** All that was asked of the installation: what must be there, and what may be. */
export interface Book {
  readonly calls: Map<string, SentCall>
  readonly outgoing: Map<string, Outgoing[]>
  /** The calls of documents that were answered with 200, or whose function was killed after its work. */
  readonly accepted: Set<string>
  /** Those of which an answered CDR was accepted. */
  readonly answered: Set<string>
  readonly inProgress: Set<Authorised>
  /** The ids of calls that were refused: nothing is held for them. */
  readonly refused: Set<string>
  readonly payments: Paid[]
  /** Reasons of adjustments, each another one. */
  readonly adjusted: {
    readonly why: string
    readonly userId: number
    readonly amount: string
    known: Certainty
  }[]
  readonly devices: { readonly id: number; readonly userId: number; deleted?: Certainty }[]
  readonly months: Set<string>
  hasZoe: boolean
  next: number
}

export const emptyBook = (): Book => ({
  calls: new Map(),
  outgoing: new Map(),
  accepted: new Set(),
  answered: new Set(),
  inProgress: new Set(),
  refused: new Set(),
  payments: [],
  adjusted: [],
  devices: [],
  months: new Set(),
  hasZoe: false,
  next: 1,
})
