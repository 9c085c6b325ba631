import { BLANK } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'

interface InvoiceLinkProps {
  readonly number: string | null
  /** Sellers number their invoices alike: without the id, the page looks for the number. */
  readonly id?: number
}

/** The number of an invoice, which leads to its page. */
export const InvoiceLink = ({ number, id }: InvoiceLinkProps) =>
  number === null ? <span>{BLANK}</span> : <a href={linkToInvoice(number, id)}>{number}</a>

export const linkToInvoice = (number: string, id?: number): string =>
  linkToRoute(['invoices', number], id === undefined ? {} : { id: String(id) })
