import { isSettled } from './document-facts.ts'
import type { PrintedDocument } from './printed-document.ts'
import { type PaymentCode, transferCode } from './transfer-code.ts'

/** The code of a printed invoice, for all of it. */
export const paymentCode = (document: PrintedDocument): PaymentCode | undefined =>
  document.kind !== 'invoice' || isSettled(document)
    ? undefined
    : transferCode({ ...document, amount: document.gross })
