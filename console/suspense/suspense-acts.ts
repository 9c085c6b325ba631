import type { RetriedAnswer, RetriedPageAnswer } from '#lib/api/console/answers/calls.ts'
import { act, type QueryValues } from '../api/console-api.ts'
import { formatCount, formatCounted } from '../base/format.ts'

/** The page hears of it when suspended CDRs were retried or dropped. */
export const SUSPENSE_CHANGED = 'suspense-changed'

async function changeSuspense<T>(verb: 'POST' | 'DELETE', place: string, body?: QueryValues): Promise<T> {
  const answer = await act<T>(verb, `/suspense/${place}`, body)
  dispatchEvent(new Event(SUSPENSE_CHANGED))
  return answer
}

export const retriedOne = (id: string): Promise<RetriedAnswer> => changeSuspense('POST', `${id}/retry`)

export const dropSuspended = (id: string): Promise<unknown> => changeSuspense('DELETE', id)

/** Retries the suspended CDRs of a reason page by page, and reports the outcome. */
export async function retriedAll(reason: string): Promise<string> {
  let [stored, suspended, after]: [number, number, string | null] = [0, 0, '']
  while (after !== null) {
    const page: RetriedPageAnswer = await changeSuspense('POST', 'retry', { reason, after })
    stored += page.stored
    suspended += page.suspended
    after = page.next
  }
  return `${formatCounted(stored, 'CDR')} stored, ${formatCount(suspended)} still suspended.`
}
