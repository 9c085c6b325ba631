import type { TableActor } from './explorer.ts'

/** A one-minute hold may be dropped after 300 s of ringing, the minute, and 900 s of grace. */
export const ALL_EXPIRED_SECONDS = 1300

/** The customers by id, each with its reseller. The last one is not limited. */
export const MODEL_CUSTOMERS: Readonly<Record<number, number | undefined>> = {
  10: undefined,
  20: 2,
  21: 2,
  30: 3,
  31: 3,
}

export const LIMITED_ACCOUNTS = [2, 3, 10, 20, 21, 30] as const

/** A call that a switch asks for. */
export interface DrawnCall {
  readonly name: string
  readonly payers: readonly number[]
  /** A minute of it. */
  price: string
  /** Requests that are not answered yet. */
  asking: number
  /** What it may still cost each payer by its answers. */
  readonly exposed: Map<number, number>
  /** The longest that it may last by its answers. */
  seconds: number
  state: 'open' | 'charged' | 'over'
  /** Its CDRs and releases that are not answered yet. */
  ending: number
  /** The consumer of its CDR, which may come again. */
  consumer?: TableActor
  /** The column of the stored call. */
  heldAt?: string
}

/** What the requests of all histories came to. */
export interface Counts {
  allowed: number
  refused: number
  undecided: number
  over: number
  charged: number
  expired: number
  /** Calls under the id of an earlier one, and CDRs that came again later. */
  usedAgain: number
  cameAgain: number
  /** The most that an account owed without having it. */
  overdraft: number
}

export const noCounts = (): Counts => ({
  ...{ allowed: 0, refused: 0, undecided: 0, over: 0, charged: 0, expired: 0, overdraft: 0 },
  ...{ usedAgain: 0, cameAgain: 0 },
})
