/** The formats of an invoice: a PDF, a page to print, or an e-invoice (docs/invoices.md). */
export const DOCUMENT_FORMATS = ['pdf', 'html', 'ubl', 'peppol', 'xrechnung', 'cii', 'factur-x'] as const

export type AccountFormat = (typeof DOCUMENT_FORMATS)[number]

/** The code of a scheme of electronic addresses (EAS), a colon, and the address in it. */
export const ELECTRONIC_ADDRESS = /^(?:\d{4}|A[NQSU]|EM):\S{1,200}$/

export const ELECTRONIC_ADDRESS_FORM =
  'a scheme and an address such as 0208:0123456749 or EM:bills@example.com'
