import { type DocumentState, documentState } from '#lib/api/console/document-state.ts'
import type { Tone } from '../ui/badge.tsx'

const TONES: Readonly<Record<DocumentState, Tone>> = {
  ...{ paid: 'good', completed: 'good', credited: 'neutral' },
  ...{ unpaid: 'warn', pending: 'warn', overdue: 'bad' },
}

/** The state of a document in a word, and its colour. */
export function stateOfDocument(...row: Parameters<typeof documentState>) {
  const state = documentState(...row)
  return [state, TONES[state]] as const
}
