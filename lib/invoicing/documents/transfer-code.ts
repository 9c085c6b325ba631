import { encode } from 'uqr'
import { fixed, type Money } from '#lib/base/money.ts'
import { hasCheckDigits } from '#lib/base/text.ts'

/** From each word on: two letters, two digits, and 11 to 30 letters and digits, with blanks between them. */
const IBANS = /(?=\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30})\b)/g

/** The account that a seller names for payments, without blanks. Words after it are not a part of it. */
export const ibanOf = ({ bank }: { readonly bank: string }): string | undefined =>
  [...bank.matchAll(IBANS)].flatMap(([, found = '']) => shortened(found.split(' '))).find(hasCheckDigits)

const shortened = (words: readonly string[]): string[] =>
  words.map((_word, cut) => words.slice(0, words.length - cut).join(''))

const MAX_AMOUNT = '999999999.99'

/** A QR code as the path of an SVG whose unit is a module. */
export interface QrCode {
  readonly side: number
  readonly path: string
}

/**
 * The QR code with which a banking app fills in the transfer, or `undefined` where nothing in euros is to be
 * paid to an IBAN. The bank passes the number of the invoice on. Source of its text: EPC069-12, "Quick
 * Response Code: Guidelines to enable data capture for the initiation of a SEPA credit transfer", version
 * 2.1: UTF-8, at most 331 bytes, error correction M.
 */
export function transferCode(
  seller: { readonly name: string; readonly bank: string },
  currency: string,
  amount: Money,
  number: string,
): QrCode | undefined {
  const written = fixed(amount, 2)
  const iban = ibanOf(seller)
  if (currency !== 'EUR' || iban === undefined || written.length > MAX_AMOUNT.length) return undefined
  const name = [...seller.name].slice(0, 70).join('')
  const transfer = ['BCD', '002', '1', 'SCT', '', name, iban, `EUR${written}`, '', '', number]
  return qrCode(transfer.join('\n'))
}

/** With error correction M, and without a margin. */
export function qrCode(text: string): QrCode {
  const { data, size: side } = encode(text, { ecc: 'M', border: 0 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { side, path: dark.join('') }
}
