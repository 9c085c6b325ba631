import type { BilledRow } from '#lib/api/console/answers/billing.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { formatAmount } from '../base/format.ts'
import { ActionButton, ActionForm } from '../fields/action.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface PaymentActsProps {
  readonly payment: BilledRow
  readonly mayChange: boolean
  readonly onDone: () => void
  readonly onClose: () => void
}

/** A payment, the invoices that it shall pay, and what is given back of it. */
export function PaymentActs({ payment, mayChange, onDone, onClose }: PaymentActsProps) {
  const showToast = useToast()
  const amount = (text: string | null) => `${formatAmount(text ?? '0')} ${payment.currency}`
  const carryOut = (path: string, done: string) => async (idempotencyKey: string, values?: SentValues) => {
    await act('POST', `/payments/${payment.id}/${path}`, { ...values }, idempotencyKey)
    showToast(done)
    onDone()
  }
  const assign = carryOut('assign', 'The payment is assigned.')
  const isUnassigned = Number(payment.open ?? 0) > 0
  return (
    <SidePanel title={`Payment ${payment.number}`} onClose={onClose}>
      <Facts
        facts={[
          ['Customer', payment.customer.name],
          ['Date', payment.date],
          ['Amount, with VAT', amount(payment.amountWithVat)],
          ['Unassigned', amount(payment.open)],
        ]}
      />
      {mayChange && isUnassigned && (
        <Card title="Pay invoices with it">
          <ActionForm
            text="Assign"
            fields={ASSIGN}
            run={(key, { invoices = '' }) => assign(key, { invoices: linesOf(invoices) })}
          />
        </Card>
      )}
      {mayChange && isUnassigned && (
        <Card title="Give it back">
          <ActionForm text="Refund" fields={REFUND} run={carryOut('refund', 'The refund is recorded.')} />
        </Card>
      )}
      {mayChange && payment.status === 'pending' && (
        <ActionButton text="Confirm that it is paid" run={carryOut('confirm', 'The payment is confirmed.')} />
      )}
      {mayChange && payment.status === 'completed' && (
        <Card title="Mistakes">
          <ActionButton
            kind="secondary"
            text="Release it from its invoices"
            run={carryOut('unassign', 'The payment is released from its invoices.')}
          />
          <ActionForm
            kind="danger"
            text="Take it back"
            fields={TAKE_BACK}
            run={carryOut('take-back', 'The payment is taken back.')}
          />
        </Card>
      )}
    </SidePanel>
  )
}

/** People separate numbers by commas, too. */
const linesOf = (typed: string): string =>
  typed
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join('\n')

const ASSIGN = [
  {
    name: 'invoices',
    label: 'Invoices',
    required: true,
    rows: 2,
    hint: 'One in each line, such as A-2026-4; a part as A-2026-3=119.00.',
  },
] as const

const REFUND = [
  { name: 'amount', label: 'Amount', inputMode: 'decimal', hint: 'Blank: the whole unassigned amount.' },
  { name: 'why', label: 'Reason', hint: 'The customer reads it.' },
] as const

const TAKE_BACK = [
  {
    name: 'why',
    label: 'Reason',
    required: true,
    hint: 'Its invoices are open again. The customer reads it.',
  },
] as const
