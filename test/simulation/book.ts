import type { BankEntry } from '#lib/billing/bank/bank-row.ts'
import type { FormatName } from '#lib/cdrs/formats/formats.ts'
import { BOB, PAUL, VAT_OF } from './dataset.ts'

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
  /** The seconds that the hold of an authorised call pays. */
  readonly granted?: number
  /** Its switch writes a second CDR of it: of a Local channel, or under the same id. */
  leg?: 'linked' | 'sequence'
}

/** The content of a document about a call: its length, or one of the two events that make it. */
export interface ToldCall {
  readonly uniqueid: string
  readonly length: number
  readonly half?: 'INVITE' | 'BYE' | undefined
}

/** A document that its switch sends until it is answered with 200. */
export interface Outgoing {
  readonly format: FormatName
  readonly text: string
  readonly calls: readonly SentCall[]
  readonly told: readonly ToldCall[]
}

/** The money that an account has had since, and the thresholds below which it was told to be. */
export interface WatchedMoney {
  readonly parts: Map<string, bigint>
  readonly told: Set<bigint>
  readonly events: Set<string>
  readonly again: string[]
}

const watchedAtFirst = (): ReadonlyMap<string, WatchedMoney> =>
  new Map(
    [BOB, PAUL].map((id) => [
      String(id),
      { parts: new Map(), told: new Set(), events: new Set(), again: [] },
    ]),
  )

/** A call in progress, and the events of it that were told. */
export interface LiveCall {
  readonly id: number
  readonly start: string
  readonly told: Set<string>
  /** An event may have been told or not. */
  isUnclear: boolean
}

/** What Stripe knows of a payment by card. Amounts are cents. */
export interface CardPayment {
  readonly intent: string
  readonly amount: number
  refunded: number
  /** What the events that were answered have told. */
  told: number
  isPaid: boolean
  /** The id of its dispute. */
  dispute?: string
  isWon?: boolean
}

/** An event of Stripe. */
export interface StripeTold {
  readonly of: CardPayment
  readonly body: string
  readonly refunded: number
  readonly isWon?: boolean
}

/** The outcome of an act: `unknown` if the answer was lost or its function was killed. */
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
  /** Its release was not answered in time: it may still be carried out. */
  readonly mayBeReleased?: boolean
}

/** All that was asked of the installation: what must be there, and what may be. */
export interface Book {
  readonly calls: Map<string, SentCall>
  readonly outgoing: Map<string, Outgoing[]>
  /** The calls of documents that were answered with 200, or whose function was killed after its work. */
  readonly accepted: Set<string>
  /** The events of a proxy that were accepted, by the id of their call. */
  readonly halves: Map<string, ReadonlySet<string>>
  /** The lengths of the versions of a call that were accepted. */
  readonly versions: Map<string, ReadonlySet<number>>
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
  readonly devices: {
    readonly id: number
    readonly userId: number
    readonly extension: string
    deleted?: Certainty
  }[]
  /** The rows of each file in the bucket; whether no import of an earlier version was under way or due. */
  readonly files: Map<
    string,
    {
      readonly rows: readonly { readonly id: string; readonly isRefused: boolean }[]
      readonly isAlone: boolean
    }
  >
  /** Functions that import files. */
  importing: number
  /** Files whose failed imports an operator has dismissed. */
  readonly dismissed: Set<string>
  /** The ids of calls of suspended CDRs that were dropped. */
  readonly dropped: Set<string>
  readonly months: Set<string>
  /** The lengths that a call was stored with, one after the other. */
  readonly stored: Map<string, readonly number[]>
  /** The seller of each payment, when it was first seen. */
  readonly sellers: Map<number, number>
  /** The last closed month of each seller, from the moment at which it is stored. */
  readonly closedTill: Map<string, string>
  /** Entries that were stored after their month was closed. */
  readonly postedLate: string[]
  /** The digests of the journals of closed months, by seller and month, when they were first seen. */
  readonly closed: Map<string, string>
  /** The VAT percents that a customer has or may have had. */
  readonly vatOf: Map<number, ReadonlySet<number>>
  readonly watched: ReadonlyMap<string, WatchedMoney>
  /** How often a code of a second factor has opened a session. */
  readonly codes: Map<string, number>
  /** Nobody needs a code any more, or so it may be. */
  isFactorReset: boolean
  /** The statements of banks, and the amounts of their rows that were booked, by their ids. */
  readonly statements: { readonly seller: 'admin' | 'rick'; readonly entries: readonly BankEntry[] }[]
  readonly bankRows: Map<string, string>
  readonly live: LiveCall[]
  readonly cards: CardPayment[]
  /** What Stripe has to tell until it is answered. */
  readonly stripe: StripeTold[]
  /** A change of Balance_From is under way, has ended, or was interrupted. */
  opening: 'never' | 'running' | 'done' | 'interrupted'
  hasZoe: boolean
  /** The zone of the days of calls, unless a change of it is under way or has ended halfway. */
  zone: string
  /** A function ended between a change of a balance and its look at the thresholds, or may have. */
  missesLook: boolean
  next: number
  /** The next task of clerks. */
  turn: number
}

export const emptyBook = (turn: number): Book => ({
  calls: new Map(),
  outgoing: new Map(),
  accepted: new Set(),
  halves: new Map(),
  versions: new Map(),
  answered: new Set(),
  inProgress: new Set(),
  refused: new Set(),
  payments: [],
  adjusted: [],
  devices: [],
  files: new Map(),
  importing: 0,
  dismissed: new Set(),
  dropped: new Set(),
  months: new Set(),
  stored: new Map(),
  sellers: new Map(),
  closedTill: new Map(),
  postedLate: [],
  closed: new Map(),
  vatOf: new Map(Object.entries(VAT_OF).map(([id, percent]) => [Number(id), new Set([percent])])),
  watched: watchedAtFirst(),
  codes: new Map(),
  isFactorReset: false,
  statements: [],
  bankRows: new Map(),
  live: [],
  cards: [],
  stripe: [],
  opening: 'never',
  hasZoe: false,
  zone: 'UTC',
  missesLook: false,
  next: 1,
  turn,
})
