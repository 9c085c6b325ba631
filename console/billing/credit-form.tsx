import { useState } from 'preact/hooks'
import type { CreditAnswer } from '#lib/api/console/answers/billing.ts'
import { act } from '../api/console-api.ts'
import { ActionButton, ActionForm } from '../states/action.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useToast } from '../ui/toast.tsx'

/** Credits an invoice: the amounts are shown before the credit note is issued. */
export function CreditForm({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const [amount, setAmount] = useState('')
  const [why, setWhy] = useState('')
  const [preview, setPreview] = useState<CreditAnswer>()
  const path = `/documents/invoices/${encodeURIComponent(id)}/credit`
  const previewed = () => act<CreditAnswer>('POST', path, { amount, why, 'dry-run': 'yes' })
  const issue = async (once: string) => {
    const { number } = await act<CreditAnswer>('POST', path, { amount, why }, once)
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
        <p>{`Net ${preview.net}, VAT ${preview.vat}. ${amount === '' ? 'The month of the invoice is open again.' : ''}`}</p>
        <span class="cluster">
          <ActionButton text="Issue the credit note" run={issue} />
          <Button onClick={() => setPreview(undefined)}>Back</Button>
        </span>
      </Notice>
    )
  return (
    <ActionForm text="Preview" run={async () => setPreview(await previewed())}>
      <LabelledField
        label="Amount without VAT"
        inputMode="decimal"
        value={amount}
        onInput={setAmount}
        hint="Such as 12.50. Blank: the whole invoice."
      />
      <LabelledField label="Reason" required value={why} onInput={setWhy} hint="The customer reads it." />
    </ActionForm>
  )
}
