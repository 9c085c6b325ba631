import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { ActionForm } from '../fields/action.tsx'
import { customerNamed } from '../fields/customer-field.tsx'
import type { FormField } from '../fields/form-fields.tsx'
import { useRecordNames } from '../records/use-records.ts'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface PaymentPanelProps {
  readonly session: SessionAnswer
  /** The customer of the page; without it the form asks. */
  readonly customer: number | undefined
  /** The values that an invoice fills in. */
  readonly initial?: SentValues
  readonly onClose: () => void
  readonly onDone: () => void
}

const CUSTOMER = { name: 'name', label: 'Customer', control: 'customer', required: true } as const

export function PaymentPanel({ session, customer, initial, onClose, onDone }: PaymentPanelProps) {
  const showToast = useToast()
  const currencies = useRecordNames('currencies')
  const record = async (idempotencyKey: string, { name = '', ...values }: SentValues) => {
    const payer = customer === undefined ? await customerNamed(name) : { id: customer }
    await act('POST', '/payments', { ...values, customer: payer.id, 'idempotency-key': idempotencyKey })
    const by = 'name' in payer ? ` by ${payer.name}` : ''
    showToast(`A payment of ${values['amount']} ${values['currency']}${by} is recorded.`)
    onDone()
  }
  const choices = [...new Set([session.currency, ...currencies.keys()])]
  const fields: readonly FormField[] = [
    { name: 'amount', label: 'Amount', required: true, hint: 'Such as 12.50.' },
    { name: 'currency', label: 'Currency', required: true, choices, blankChoice: 'choose' },
    { name: 'invoice', label: 'Invoice', hint: 'The number of the one that it pays. Blank: none.' },
    { name: 'date', label: 'Day of the payment', type: 'date', hint: 'Blank: today.' },
    { name: 'type', label: 'Type', hint: 'Such as bank or cash.' },
    { name: 'reference', label: 'Reference', hint: "The bank's reference of the transfer." },
    { name: 'comment', label: 'Comment', hint: 'The customer sees it.' },
    {
      name: 'again',
      label: 'Record it again',
      control: 'switch',
      hint: 'An equal one of today is another one.',
    },
  ]
  return (
    <SidePanel title="Record a payment" onClose={onClose}>
      <ActionForm
        text="Record the payment"
        fields={customer === undefined ? [CUSTOMER, ...fields] : fields}
        initial={{ currency: session.currency, type: 'bank', ...initial }}
        run={record}
      />
    </SidePanel>
  )
}
