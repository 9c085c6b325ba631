import { useMemo } from 'preact/hooks'
import { answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import type { NamedCustomer } from '../api/customers.ts'
import { findAll, type XmlNode } from '../api/xml.ts'
import { devicesOfCustomer } from '../place.ts'
import { Badge } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Table, type TableColumn } from '../ui/table.tsx'
import type { TableRow } from '../ui/table-rows.ts'
import { invoiceRow, LINE_COLUMNS } from './invoice.ts'
import { Total } from './invoice-total.tsx'

interface InvoiceTableProps {
  readonly ask: Ask
  readonly invoices: readonly XmlNode[]
  readonly customers: readonly NamedCustomer[]
}

/** One row for each invoice; its lines unfold below it. */
export function InvoiceTable({ ask, invoices, customers }: InvoiceTableProps) {
  const rows = useMemo(() => invoices.map((invoice) => invoiceRow(invoice, customers)), [invoices, customers])
  const columns: readonly TableColumn[] = useMemo(
    () => [
      { key: 'number', title: 'Number', isNumber: false, show: ({ number }) => <strong>{number}</strong> },
      { key: 'customer', title: 'Customer', show: (row) => <CustomerLink invoice={row} /> },
      { key: 'issued', title: 'Issued' },
      { key: 'status', title: 'Status', show: ({ status = '' }) => <PaidBadge status={status} /> },
      { key: 'net', title: 'Net' },
      {
        key: 'total',
        title: 'Total with tax',
        isNumber: true,
        show: (row) => <Total ask={ask} invoice={row} />,
      },
    ],
    [ask],
  )
  if (rows.length === 0)
    return <EmptyState title="No invoices" text="None were issued since the chosen day." />
  const linesOf = ({ number }: TableRow) => {
    const invoice = invoices.find(({ attributes }) => Object.fromEntries(attributes)['number'] === number)
    return invoice ? findAll(invoice, 'Product').map((product) => answerRow(product)) : []
  }
  return (
    <Table
      label="Invoices"
      columns={columns}
      rows={rows}
      detail={(row) => (
        <Table label={`Lines of ${row['number']}`} columns={LINE_COLUMNS} rows={linesOf(row)} />
      )}
    />
  )
}

const CustomerLink = ({ invoice }: { readonly invoice: TableRow }) => (
  <a href={devicesOfCustomer(invoice['user_id'] ?? '')} title="Its devices">
    {invoice['customer']}
  </a>
)

const PaidBadge = ({ status }: { readonly status: string }) => (
  <Badge tone={status === 'Paid' ? 'good' : 'warn'} text={status} />
)
