import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { act } from '../api/console-api.ts'
import { CustomerField, customerNamed } from '../customers/customer-field.tsx'
import { useRecordNames } from '../records/use-records.ts'
import { ActionForm } from '../states/action.tsx'
import { LabelledField } from '../ui/field.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface PaymentPanelProps {
  readonly session: SessionAnswer
  /** The customer of the page; without it the form asks. */
  readonly customer: number | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}

export function PaymentPanel({ session, customer, onClose, onDone }: PaymentPanelProps) {
  const tell = useToast()
  const currencies = useRecordNames('currencies')
  const [name, setName] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({
    currency: session.currency,
    type: 'bank',
  })
  const field = (name: string) => ({
    value: values[name] ?? '',
    onInput: (value: string) => setValues({ ...values, [name]: value }),
  })
  const record = async (once: string) => {
    const payer = customer === undefined ? await customerNamed(name) : { id: customer }
    await act('POST', '/payments', { ...values, customer: payer.id, 'idempotency-key': once })
    const by = 'name' in payer ? ` by ${payer.name}` : ''
    tell(`A payment of ${values['amount']} ${values['currency']}${by} is recorded.`)
    onDone()
  }
  return (
    <SidePanel title="Record a payment" onClose={onClose}>
      <ActionForm text="Record the payment" run={record}>
        {customer === undefined && <CustomerField value={name} onInput={setName} />}
        <LabelledField label="Amount" required hint="Such as 12.50." {...field('amount')} />
        <LabelledField
          label="Currency"
          required
          choices={[...new Set([session.currency, ...currencies.keys()])]}
          blankChoice="choose"
          {...field('currency')}
        />
        <LabelledField label="Type" hint="Such as bank or cash." {...field('type')} />
        <LabelledField
          label="Reference"
          hint="The bank's reference of the transfer."
          {...field('reference')}
        />
        <LabelledField label="Comment" hint="The customer sees it." {...field('comment')} />
      </ActionForm>
    </SidePanel>
  )
}
