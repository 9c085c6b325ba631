import type { AnswerTo } from '#lib/api/console/answers/answers.ts'
import { act } from '../api/console-api.ts'
import { formatCount, formatCounted } from '../base/format.ts'

/** The page hears of it when suspended CDRs were retried or dropped. */
export const SUSPENSE_CHANGED = 'suspense-changed'

const notingChange = async <A>(changing: Promise<A>): Promise<A> => {
  const answer = await changing
  dispatchEvent(new Event(SUSPENSE_CHANGED))
  return answer
}

export const retriedOne = (id: string) => notingChange(act('POST', `/suspense/${id}/retry`))

export const dropSuspended = (id: string) => notingChange(act('DELETE', `/suspense/${id}`))

/** Retries the suspended CDRs of a reason page by page, and reports the outcome. */
export async function retriedAll(reason: string): Promise<string> {
  let [stored, suspended, after]: [number, number, string | null] = [0, 0, '']
  while (after !== null) {
    const page: AnswerTo<'POST', '/suspense/retry'> = await notingChange(
      act('POST', '/suspense/retry', { reason, after }),
    )
    stored += page.stored
    suspended += page.suspended
    after = page.next
  }
  return `${formatCounted(stored, 'CDR')} stored, ${formatCount(suspended)} still suspended.`
}
