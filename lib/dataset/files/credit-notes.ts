import { type CreditNote, creditNoteColumns, creditNotes as kind } from '#lib/store/billing/credit-note.ts'
import { documentFile } from './document-file.ts'

export const creditNotes = documentFile<CreditNote, CreditNote>({
  columns: creditNoteColumns,
  kind,
  stored: (row) => row,
})
