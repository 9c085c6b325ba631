import { useState } from 'preact/hooks'
import type { CreditAnswer, InvoiceAnswer, WriteOffAnswer } from '#lib/api/console/answers/billing.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { decimalsIn, formatAmount, formatFixed } from '../base/format.ts'
import { ActionButton, ActionForm } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { savePdf } from './month-zip.ts'

interface InvoicePanelProps {
  readonly id: string
  /** An admin credits invoices. */
  readonly isAdmin: boolean
  readonly onCredited: () => void
  readonly onWrittenOff: () => void
  readonly onClose: () => void
}

/** An invoice as it is printed: every amount is in its own currency. */
export function InvoicePanel({ id, isAdmin, onCredited, onWrittenOff, onClose }: InvoicePanelProps) {
  const query = useQuery<InvoiceAnswer>(`/documents/invoices/${encodeURIComponent(id)}`)
  return (
    <SidePanel title="Invoice" onClose={onClose}>
      <Loaded query={query} what="the invoice" lines={8}>
        {(answer) => (
          <>
            <Paper answer={answer} />
            <Owed answer={answer} />
            <span class="cluster">
              <ActionButton kind="secondary" text="Save as PDF" run={() => savePdf('invoices', id)} />
              <Button icon="print" onClick={() => print()}>
                Print
              </Button>
            </span>
            {isAdmin && <CreditForm id={id} onDone={onCredited} />}
            {isAdmin && Number(answer.invoice.open ?? 0) > 0 && <WriteOff id={id} onDone={onWrittenOff} />}
          </>
        )}
      </Loaded>
    </SidePanel>
  )
}

function Paper({ answer: { invoice, issuer, products, vat } }: { readonly answer: InvoiceAnswer }) {
  const amount = (text: string) => `${formatAmount(text)} ${invoice.currency}`
  return (
    <article class="paper" aria-label={`Invoice ${invoice.number}`}>
      <h3>{`Invoice ${invoice.number}`}</h3>
      <p>{`From ${issuer}`}</p>
      <p>{`To ${invoice.customer.name}`}</p>
      <p>{`Issued ${invoice.date}, ${invoice.due === null ? '' : `due ${invoice.due}, `}${invoice.status}`}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col" class="number">
              Quantity
            </th>
            <th scope="col" class="number">{`Sum, ${invoice.currency}`}</th>
          </tr>
        </thead>
        <tbody>
          {products.map(({ name, quantity, sum }, index) => (
            <tr key={index}>
              <td>{name}</td>
              <td class="number">{formatFixed(quantity, decimalsIn([quantity]))}</td>
              <td class="number">{formatAmount(sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Facts
        facts={[
          ['Net', amount(invoice.amount)],
          ['VAT', amount(vat)],
          ['Total', <strong key="total">{amount(invoice.amountWithVat)}</strong>],
        ]}
      />
    </article>
  )
}

/** What is open of the invoice, and what its customer owes in its currency. */
function Owed({ answer: { invoice, ledger } }: { readonly answer: InvoiceAnswer }) {
  const amount = (text: string) => `${formatAmount(text)} ${invoice.currency}`
  const figures = ledger.find(({ currency }) => currency === invoice.currency)
  return (
    <Facts
      facts={[
        ['Open of this invoice', amount(invoice.open ?? '0')],
        ['Customer owes', amount(figures?.owed ?? '0')],
        ['Open invoices', amount(figures?.open ?? '0')],
        ['Unassigned', amount(figures?.unassigned ?? '0')],
      ]}
    />
  )
}

/** Nobody pays what is open of the invoice any more. */
function WriteOff({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const path = `/documents/invoices/${encodeURIComponent(id)}/write-off`
  const writeOff = async (idempotencyKey: string, values: SentValues) => {
    const { number, gross } = await act<WriteOffAnswer>('POST', path, values, idempotencyKey)
    tell(`${gross} of ${number} is written off.`)
    onDone()
  }
  if (!isOpen) return <Button onClick={() => setOpen(true)}>Write off …</Button>
  return <ActionForm kind="danger" text="Write off what is open" fields={WHY} run={writeOff} />
}

const WHY = [{ name: 'why', label: 'Reason', required: true, hint: 'It stands in the journal.' }] as const

/** Credits an invoice: the amounts are shown before the credit note is issued. */
function CreditForm({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const [sent, setSent] = useState<SentValues>({})
  const [preview, setPreview] = useState<CreditAnswer>()
  const path = `/documents/invoices/${encodeURIComponent(id)}/credit`
  const look = async (_once: string, values: SentValues) => {
    setSent(values)
    setPreview(await act<CreditAnswer>('POST', path, { ...values, 'dry-run': 'yes' }))
  }
  const issue = async (idempotencyKey: string) => {
    const { number } = await act<CreditAnswer>('POST', path, sent, idempotencyKey)
    tell(`The credit note ${number} is issued.`)
    onDone()
  }
  if (!isOpen) return <Button onClick={() => setOpen(true)}>Credit …</Button>
  if (preview)
    return (
      <Notice
        tone="warn"
        title={`A credit note of ${preview.gross} ${preview.currency} for ${preview.invoice}`}
      >
        <p>{`Net ${preview.net}, VAT ${preview.vat}. ${!sent['amount'] ? 'The month of the invoice is open again.' : ''}`}</p>
        <span class="cluster">
          <ActionButton text="Issue the credit note" run={issue} />
          <Button onClick={() => setPreview(undefined)}>Back</Button>
        </span>
      </Notice>
    )
  return <ActionForm text="Preview" fields={CREDIT} initial={sent} run={look} />
}

const CREDIT = [
  {
    name: 'amount',
    label: 'Amount without VAT',
    inputMode: 'decimal',
    hint: 'Such as 12.50. Blank: the whole invoice.',
  },
  { name: 'why', label: 'Reason', required: true, hint: 'The customer reads it.' },
] as const
