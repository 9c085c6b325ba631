import { useState } from 'preact/hooks'
import { act } from '../api/console-api.ts'
import { ActionForm } from '../states/action.tsx'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface AdjustButtonProps {
  readonly customer: number
  readonly currency: string
  readonly onChanged: () => void
}

/** Corrects a balance by hand, with the reason. */
export function AdjustButton({ customer, currency, onChanged }: AdjustButtonProps) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const [amount, setAmount] = useState('')
  const [why, setWhy] = useState('')
  const adjust = async (once: string) => {
    await act('POST', '/adjustments', { customer, amount, why }, once)
    setOpen(false)
    tell(`The balance is adjusted by ${amount} ${currency}.`)
    onChanged()
  }
  return (
    <>
      <Button opens small onClick={() => setOpen(true)}>
        Adjust …
      </Button>
      {isOpen && (
        <SidePanel title="Adjust the balance" onClose={() => setOpen(false)}>
          <ActionForm text="Adjust the balance" run={adjust}>
            <LabelledField
              label={`Amount, ${currency}`}
              required
              value={amount}
              onInput={setAmount}
              hint="Such as 12.50 to add, and -12.50 to take."
            />
            <LabelledField label="Reason" required value={why} onInput={setWhy} hint="The log has it." />
          </ActionForm>
        </SidePanel>
      )}
    </>
  )
}
