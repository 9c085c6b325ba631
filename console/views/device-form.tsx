import { useState } from 'preact/hooks'
import type { Values } from '../api/catalogue.ts'
import { Field } from './field.tsx'
import { Message } from './message.tsx'
import { useAnswer } from './use-answer.ts'

interface DeviceFormProps {
  readonly title: string
  /** Parameters, by their names in the API. */
  readonly fields: readonly string[]
  readonly onSend: (sent: Values) => Promise<void>
}

/** Fields that are sent where somebody filled them in. */
export function DeviceForm({ title, fields, onSend }: DeviceFormProps) {
  const [values, setValues] = useState<Values>({})
  const [{ problem, isUnderWay }, put] = useAnswer<void>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      await onSend(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')))
      setValues({})
    })
  }
  return (
    <form class="card" aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      <div class="row">
        {fields.map((field) => (
          <Field
            key={field}
            label={field}
            value={values[field] ?? ''}
            onInput={(value) => setValues({ ...values, [field]: value })}
          />
        ))}
        <button type="submit" disabled={isUnderWay}>
          {title}
        </button>
      </div>
      {problem && <Message kind="error" text={problem} />}
    </form>
  )
}
