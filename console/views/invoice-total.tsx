import { useEffect, useState } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import { formatMoney } from '../format.ts'
import type { TableRow } from '../ui/table-rows.ts'
import { type InvoiceTotal, totalWithTax } from './invoice.ts'

interface TotalProps {
  readonly ask: Ask
  readonly invoice: TableRow
  /** Is called when the total is there, or cannot be told. */
  readonly onKnown?: () => void
}

/** The total with tax, asked for when the row is shown. Where the API does not tell it, the net sum. */
export function Total({ ask, invoice, onKnown }: TotalProps) {
  const [total, setTotal] = useState<InvoiceTotal | 'unknown'>()
  useEffect(() => {
    const know = (found: InvoiceTotal | undefined) => {
      setTotal(found ?? 'unknown')
      onKnown?.()
    }
    totalWithTax(ask, invoice).then(know, () => know(undefined))
  }, [ask, invoice])
  if (total === undefined) return <span class="muted">…</span>
  if (total === 'unknown') return <span class="muted">not told</span>
  return <strong>{formatMoney(total.amount, total.currency)}</strong>
}
