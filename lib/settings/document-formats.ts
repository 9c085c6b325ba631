/** The formats of an invoice: a PDF, a page to print, or an e-invoice (docs/invoices.md). */
export const DOCUMENT_FORMATS = ['pdf', 'html', 'ubl', 'peppol', 'xrechnung', 'cii', 'factur-x'] as const

/** With room for a number of 15 digits in the 60 characters of an invoice's number. */
const MAX_NUMBER_FORMAT = 48

/** Has one {n}. */
export const NUMBER_FORMAT = new RegExp(
  String.raw`^(?=.{1,${MAX_NUMBER_FORMAT}}$)(?:(?!\{n\}).)*\{n\}(?:(?!\{n\}).)*$`,
)

export const NUMBER_FORMAT_FORM = `a text such as A-{year}-{n} with one {n}, of at most ${MAX_NUMBER_FORMAT} characters`

export type AccountFormat = (typeof DOCUMENT_FORMATS)[number]

/** The code of a scheme of electronic addresses (EAS), a colon, and the address in it. */
export const ELECTRONIC_ADDRESS = /^(?:\d{4}|A[NQSU]|EM):\S{1,200}$/

export const ELECTRONIC_ADDRESS_FORM =
  'a scheme and an address such as 0208:0123456749 or EM:bills@example.com'
