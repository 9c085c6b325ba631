import { useState } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { useAnswer } from '../api/use-answer.ts'
import { Button } from '../ui/button.tsx'
import { LabelledField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'

/** A parameter of a method, in words. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly isSecret?: boolean
  readonly isRequired?: boolean
  readonly choices?: readonly string[]
}

interface SendFormProps {
  readonly fields: readonly FormField[]
  /** The values that are stored. */
  readonly stored?: SentValues
  readonly action: string
  readonly onSend: (sent: SentValues) => Promise<void>
}

/** Fields of which those are sent that differ from the stored values. */
export function SendForm({ fields, stored = {}, action, onSend }: SendFormProps) {
  const [values, setValues] = useState(stored)
  const [{ problem, isUnderWay }, put] = useAnswer<void>()
  const changed = Object.entries(values).filter(([name, value]) => value !== (stored[name] ?? ''))
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      await onSend(Object.fromEntries(changed))
      setValues(stored)
    })
  }
  return (
    <form class="stack" aria-label={action} onSubmit={submit}>
      <div class="fields">
        {fields.map(({ name, isSecret, isRequired, ...field }) => (
          <LabelledField
            key={name}
            {...field}
            required={isRequired ?? false}
            secret={isSecret ?? false}
            value={values[name] ?? ''}
            onInput={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
      </div>
      {problem && <ProblemNotice text={problem} />}
      <div class="cluster">
        <Button kind="primary" submits isBusy={isUnderWay} isDisabled={changed.length === 0}>
          {action}
        </Button>
      </div>
    </form>
  )
}
