import type { BilledRow } from '#lib/api/console/answers/billing.ts'
import type { Tone } from '../ui/badge.tsx'

const TONES: Readonly<Record<BilledRow['status'], Tone>> = {
  paid: 'good',
  completed: 'good',
  unpaid: 'warn',
  pending: 'warn',
}

/** The state of a document in a word. A credited invoice is unpaid, and nothing of it is open. */
export function documentState(
  { status, open, due }: Pick<BilledRow, 'status' | 'open' | 'due'>,
  today: string,
): readonly [text: string, tone: Tone] {
  if (status === 'unpaid' && open !== null && Number(open) === 0) return ['credited', 'neutral']
  if (status === 'unpaid' && due !== null && due < today) return ['overdue', 'bad']
  return [status, TONES[status]]
}
