import { formatDateTime } from '#lib/base/calendar.ts'
import { add, isZero, type Money, multiply, ONE, ZERO } from '#lib/base/money.ts'
import type { Invoice } from '#lib/billing/invoice.ts'
import type { Call } from '#lib/calls/call.ts'
import { isConnected } from '#lib/calls/counters/statistics.ts'
import { openDirectory } from '#lib/calls/report/directory.ts'
import { secondsIn, timeText } from '../draft.ts'
import { daysBetween } from '../month.ts'
import { callsDuring } from '../used-calls.ts'
import type { DocumentSource } from './printed-document.ts'

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

/** The calls of a document, page by page, until `forget` erases them. */
export type ListedCalls = AsyncIterable<readonly PrintedCall[]> | 'erased'

export const CALL_DECIMALS = 4

/** The calls of one number of the customer. */
export interface PrintedLine {
  readonly line: string
  readonly calls: number
  readonly seconds: number
  readonly price: Money
}

/** A customer with more numbers passes on those of others, whose sums are not printed. */
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

type CalledInvoice = Pick<Invoice, 'user_id' | 'period_from' | 'period_till' | 'exchange_rate'>

/** The stored calls of an invoice's period, day by day; `undefined` for an invoice without a period. */
export function itemisedCalls(source: DocumentSource, invoice: CalledInvoice): ListedCalls | undefined {
  const { period_from: from, period_till: till } = invoice
  return from === undefined || till === undefined ? undefined : callsOf(source, invoice, { from, till })
}

async function* callsOf(
  { store, settings }: DocumentSource,
  { user_id, exchange_rate = ONE }: CalledInvoice,
  days: { readonly from: string; readonly till: string },
): AsyncGenerator<PrintedCall[]> {
  const locateCalls = await openDirectory(store, settings)
  for await (const calls of callsDuring({ store, settings }, user_id, [...daysBetween(days)])) {
    const locate = await locateCalls(calls)
    yield calls.filter(isListed).map((call) => ({
      line: call.incoming ? call.dst : call.src,
      time: formatDateTime(call.calldate, settings.Timezone),
      from: call.src,
      to: call.dst,
      destination: locate(call)?.destination ?? '',
      duration: timeText(call.billsec),
      price: multiply(call.user_price ?? ZERO, exchange_rate),
    }))
  }
}

/** Attempts that cost nothing are on no bill. */
const isListed = ({ disposition, user_price = ZERO }: Call): boolean =>
  isConnected(disposition) || !isZero(user_price)
