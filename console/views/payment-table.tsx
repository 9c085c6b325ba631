import type { AnswerRow } from '#lib/xml/answer-rows.ts'
import { formatMoney } from '../format.ts'
import { Badge } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Table, type TableColumn } from '../ui/table.tsx'
import type { TableRow } from '../ui/table-rows.ts'

const money =
  (key: string) =>
  (row: TableRow): string =>
    formatMoney(row[key] || '0', row['currency'] ?? '')

const COLUMNS: readonly TableColumn[] = [
  { key: 'date', title: 'Date' },
  { key: 'user', title: 'Customer' },
  { key: 'type', title: 'Type' },
  { key: 'transaction_id', title: 'Transaction', isNumber: false },
  { key: 'amount', title: 'Amount', show: money('amount') },
  { key: 'fee', title: 'Fee', show: money('fee') },
  {
    key: 'completed',
    title: 'Status',
    show: ({ completed = '' }) => (
      <Badge tone={completed === 'Completed' ? 'good' : 'warn'} text={completed} />
    ),
  },
]

export const PaymentTable = ({ payments }: { readonly payments: readonly AnswerRow[] }) =>
  payments.length === 0 ? (
    <EmptyState title="No payments" text="None came in since the chosen day." />
  ) : (
    <Table label="Payments" columns={COLUMNS} rows={payments} />
  )
