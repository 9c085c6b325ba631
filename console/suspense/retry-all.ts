import type { RetriedPageAnswer } from '#lib/api/console/answers/calls.ts'
import { act } from '../api/console-api.ts'
import { formatCount, formatCounted } from '../base/format.ts'

/** Retries the suspended CDRs of a reason page by page, and reports the outcome. */
export async function retriedAll(reason: string): Promise<string> {
  let [stored, suspended, after]: [number, number, string | null] = [0, 0, '']
  while (after !== null) {
    const page: RetriedPageAnswer = await act('POST', '/suspense/retry', { reason, after })
    stored += page.stored
    suspended += page.suspended
    after = page.next
  }
  return `${formatCounted(stored, 'CDR')} stored, ${formatCount(suspended)} still suspended.`
}
