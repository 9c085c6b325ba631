import type { BilledRow } from '#lib/api/console/answers/billing.ts'
import { type DocumentState, documentState } from '#lib/api/console/document-state.ts'
import type { Tone } from '../ui/badge.tsx'

const TONES: Readonly<Record<DocumentState, Tone>> = {
  paid: 'good',
  completed: 'good',
  unpaid: 'warn',
  pending: 'warn',
  credited: 'neutral',
  overdue: 'bad',
}

/** The state of a document in a word, and its colour. */
export function stateOfDocument(
  row: Pick<BilledRow, 'status' | 'open' | 'due'>,
  today: string,
): readonly [state: DocumentState, tone: Tone] {
  const state = documentState(row, today)
  return [state, TONES[state]]
}
