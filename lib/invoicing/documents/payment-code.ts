import { encode } from 'uqr'
import { fixed } from '#lib/base/money.ts'
import { isSettled } from './document-facts.ts'
import type { PrintedDocument } from './printed-document.ts'

/** Two letters, two digits, and 11 to 30 letters and digits, with blanks between them. */
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/

/** The account that a seller names for payments, without blanks. */
export const ibanOf = ({ bank }: PrintedDocument['seller']): string | undefined =>
  IBAN.exec(bank)?.[0].replaceAll(' ', '')

/** A QR code as the path of an SVG whose unit is a module; `side` counts the light ones around it, too. */
export interface PaymentCode {
  readonly side: number
  readonly path: string
}

/**
 * The QR code with which a banking app fills in the transfer, or `undefined` where nothing in euros is to be
 * paid to an IBAN. Source of its text: EPC069-12, "Quick Response Code: Guidelines to enable data capture for
 * the initiation of a SEPA credit transfer", version 2.1: UTF-8, at most 331 bytes, error correction M.
 */
export function paymentCode(document: PrintedDocument): PaymentCode | undefined {
  const { kind, seller, currency, gross, number } = document
  const iban = ibanOf(seller)
  if (kind !== 'invoice' || currency !== 'EUR' || isSettled(document) || iban === undefined) return undefined
  const name = [...seller.name].slice(0, 70).join('')
  const transfer = ['BCD', '002', '1', 'SCT', '', name, iban, `EUR${fixed(gross, 2)}`, '', '', number]
  const { data, size: side } = encode(transfer.join('\n'), { ecc: 'M', border: 4 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { side, path: dark.join('') }
}
