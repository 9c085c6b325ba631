import type { BilledRow } from './answers/billing.ts'

export type DocumentState = BilledRow['status'] | 'credited' | 'overdue'

/** The state of a document on a day. A credited invoice is unpaid, and nothing of it is open. */
export function documentState(
  { status, open, due }: Pick<BilledRow, 'status' | 'open' | 'due'>,
  today: string,
): DocumentState {
  if (status !== 'unpaid' || open === null) return status
  if (Number(open) === 0) return 'credited'
  return due !== null && due < today ? 'overdue' : status
}
