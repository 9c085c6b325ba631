import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { type FieldProps, LabelledField } from '../ui/field.tsx'

interface ListFieldProps extends Pick<FieldProps, 'label' | 'value' | 'onInput' | 'hint' | 'wrong'> {
  /** The words that it takes; any text without them. */
  readonly choices: readonly string[]
  readonly isOfDays: boolean
}

/** Several values, stored with commas between them. Each is removed by its button. */
export function ListField({ label, value, onInput, choices, isOfDays, ...field }: ListFieldProps) {
  const [typed, setTyped] = useState('')
  const entries = value.split(/[\s,]+/).filter(Boolean)
  const add = (text: string) => {
    const added = text.split(/[\s,]+/).filter((one) => one !== '' && !entries.includes(one))
    setTyped('')
    if (added.length > 0) onInput([...entries, ...added].join(','))
  }
  const left = choices.filter((one) => !entries.includes(one))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the input in it
    <div
      class="list-field"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === '') return
        event.preventDefault()
        add(typed)
      }}
      onFocusOut={() => add(typed)}
    >
      <LabelledField
        {...field}
        {...{ label, value: typed }}
        {...(choices.length > 0
          ? { choices: left, blankChoice: 'Add …', onInput: add }
          : { onInput: setTyped, placeholder: 'Add …' })}
        {...(isOfDays && {
          type: 'date' as const,
          onInput: (day: string) => (isWhole(day) ? add(day) : setTyped(day)),
        })}
      />
      {entries.length > 0 && (
        <ul aria-label={label}>
          {entries.map((entry) => (
            <li key={entry}>
              <code>{entry}</code>
              <Button
                kind="quiet"
                small
                icon="close"
                label={`Remove ${entry}`}
                onClick={() => onInput(entries.filter((one) => one !== entry).join(','))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const isWhole = (day: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(day)
