import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { ActionForm } from '../fields/action.tsx'
import { PanelButton } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

interface AdjustButtonProps {
  readonly customer: number
  readonly currency: string
  /** The title of the dialog, by default the adjustment itself. */
  readonly title?: string
  readonly initial?: SentValues
  readonly onChanged?: () => void
}

/** Corrects a balance by hand, with the reason. */
export function AdjustButton({ customer, currency, title, ...props }: AdjustButtonProps) {
  const does = title ?? 'Adjust the balance'
  const showToast = useToast()
  const adjust = async (idempotencyKey: string, values: SentValues) => {
    await act('POST', '/adjustments', { customer, ...values }, idempotencyKey)
    showToast(`The balance is adjusted by ${values['amount']} ${currency}.`)
    props.onChanged?.()
  }
  const hint = 'Such as 12.50 to add, and -12.50 to take.'
  const fields = [
    { name: 'amount', label: `Amount, ${currency}`, required: true, hint },
    { name: 'why', label: 'Reason', required: true, hint: 'The log has it.' },
  ]
  return (
    <PanelButton small text={title ? `${title} …` : 'Adjust …'} title={does}>
      {(close) => (
        <ActionForm
          text={does}
          fields={fields}
          initial={props.initial ?? {}}
          run={(idempotencyKey, values) => adjust(idempotencyKey, values).then(close)}
        />
      )}
    </PanelButton>
  )
}
