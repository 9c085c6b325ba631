import { creditNotes } from '#lib/billing/credit-note.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import type { World } from '#test/world.ts'

/** The kinds of documents that keep an exchange rate. */
export const RATED_KINDS = [payments, invoices, creditNotes] as const

/** Stores the documents with the id 1 as earlier releases did, which kept no exchange rate. */
export async function withoutRates({ store }: World): Promise<void> {
  for (const kind of RATED_KINDS) {
    // The three kinds have the column alike.
    const of = kind as typeof payments
    const before = await of.find(store, 1)
    if (before)
      await replaceDocuments(store, of, [{ before, after: { ...before, exchange_rate: undefined } }])
  }
}
