import { add, type Money, ZERO } from '#lib/base/money.ts'
import { secondsIn } from '../draft.ts'

export interface PrintedCall {
  /** Date and time in the zone of the installation. */
  readonly time: string
  /** The number of the customer: the one that called, or the one that was called from outside. */
  readonly line: string
  readonly from: string
  readonly to: string
  readonly destination: string
  /** `HH:MM:SS` */
  readonly duration: string
  /** In the currency of the document, with 4 decimals, because calls cost less than a minor unit. */
  readonly price: Money
}

/** The calls of a document, page by page. Undefined: the document has no annex. */
export type Annex = AsyncIterable<readonly PrintedCall[]> | undefined

export const CALL_DECIMALS = 4

/** The calls of one number of the customer. */
export interface PrintedLine {
  readonly line: string
  readonly calls: number
  readonly seconds: number
  readonly price: Money
}

/** A customer with more numbers passes on those of others, whose sums nobody reads. */
const MAX_LINES = 200

/** Sums up calls by the number of the customer, as carriers' bills do. One number alone has no sums. */
export function createLineSums() {
  const lines = new Map<string, PrintedLine>()
  return {
    isEmpty: () => lines.size === 0,
    add: ({ line, duration, price }: PrintedCall): void => {
      const before = lines.get(line) ?? { calls: 0, seconds: 0, price: ZERO }
      if (lines.size > MAX_LINES) return
      const seconds = before.seconds + secondsIn(duration)
      lines.set(line, { line, calls: before.calls + 1, seconds, price: add(before.price, price) })
    },
    lines: (): readonly PrintedLine[] =>
      lines.size < 2 || lines.size > MAX_LINES
        ? []
        : [...lines.values()].sort((one, other) => (one.line < other.line ? -1 : 1)),
  }
}
