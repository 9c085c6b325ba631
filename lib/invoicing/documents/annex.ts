import { formatDateTime } from '#lib/base/calendar.ts'
import { isZero, multiply, ONE, ZERO } from '#lib/base/money.ts'
import type { Invoice } from '#lib/billing/invoice.ts'
import type { Call } from '#lib/calls/call.ts'
import { isConnected } from '#lib/calls/counters/statistics.ts'
import { openDirectory } from '#lib/calls/report/directory.ts'
import { timeText } from '../draft.ts'
import { daysBetween } from '../month.ts'
import { callsOn } from '../used-calls.ts'
import type { Annex, PrintedCall } from './printed-call.ts'
import type { DocumentSource } from './printed-document.ts'

type CalledInvoice = Pick<Invoice, 'user_id' | 'period_from' | 'period_till' | 'exchange_rate'>

/** The stored calls of an invoice's period, day by day. An invoice without a period has no annex. */
export function annexOf(source: DocumentSource, invoice: CalledInvoice): Annex {
  const { period_from: from, period_till: till } = invoice
  return from === undefined || till === undefined ? undefined : callsOf(source, invoice, { from, till })
}

async function* callsOf(
  { store, settings }: DocumentSource,
  { user_id, exchange_rate = ONE }: CalledInvoice,
  days: { readonly from: string; readonly till: string },
): AsyncGenerator<PrintedCall[]> {
  const locateCalls = await openDirectory(store, settings)
  for (const day of daysBetween(days))
    for await (const calls of callsOn({ store, settings }, 'own', user_id, day)) {
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
