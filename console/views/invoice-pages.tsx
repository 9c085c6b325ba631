import { useEffect, useMemo, useRef } from 'preact/hooks'
import { answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import type { NamedCustomer } from '../api/customers.ts'
import { findAll, type XmlNode } from '../api/xml.ts'
import { invoiceRow, LINE_COLUMNS } from './invoice.ts'
import { Total } from './invoice-total.tsx'

interface InvoicePagesProps {
  readonly ask: Ask
  readonly invoices: readonly XmlNode[]
  readonly customers: readonly NamedCustomer[]
  readonly onPrinted: () => void
}

/** The invoices on paper, each on a page of its own. The browser is asked to print once all totals are there. */
export function InvoicePages({ ask, invoices, customers, onPrinted }: InvoicePagesProps) {
  const known = useRef(0)
  const rows = useMemo(() => invoices.map((invoice) => invoiceRow(invoice, customers)), [invoices, customers])
  useEffect(() => {
    addEventListener('afterprint', onPrinted)
    return () => removeEventListener('afterprint', onPrinted)
  }, [])
  const onKnown = () => {
    known.current += 1
    if (known.current === rows.length) requestAnimationFrame(() => print())
  }
  return (
    <div class="invoice-pages">
      {rows.map((row, at) => (
        <article key={row['number']} aria-label={`Invoice ${row['number']} on paper`}>
          <h2>Invoice {row['number']}</h2>
          <p>
            {row['customer']}
            {row['agreementnumber'] && `, agreement ${row['agreementnumber']}`}
          </p>
          <p>
            Issued {row['issued']}, {row['status']?.toLowerCase()}
          </p>
          <Lines invoice={invoices[at]} />
          <p>Net {row['net']}</p>
          <p>
            Total with tax <Total ask={ask} invoice={row} onKnown={onKnown} />
          </p>
        </article>
      ))}
    </div>
  )
}

const Lines = ({ invoice }: { readonly invoice: XmlNode | undefined }) => (
  <table>
    <thead>
      <tr>
        {LINE_COLUMNS.map(({ key }) => (
          <th key={key} scope="col">
            {key}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {invoice &&
        findAll(invoice, 'Product')
          .map((product) => answerRow(product))
          .map((line, at) => (
            <tr key={at}>
              {LINE_COLUMNS.map(({ key }) => (
                <td key={key}>{line[key]}</td>
              ))}
            </tr>
          ))}
    </tbody>
  </table>
)
