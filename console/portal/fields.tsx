import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { useOwn } from './own.ts'

interface OwnFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: keyof typeof TYPES
  readonly hint?: string
  readonly wrong?: string | undefined
  readonly required?: boolean
  readonly autocomplete?: string
}

const TYPES = {
  text: { type: 'text' },
  date: { type: 'date' },
  tel: { type: 'tel' },
  search: { type: 'search' },
  password: { type: 'password' },
} as const

/** A labelled control; a screen reader tells its hint and what is wrong together with it. */
export function OwnField({ label, value, onInput, type = 'text', hint, wrong, ...input }: OwnFieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        class="input"
        {...TYPES[type]}
        value={value}
        aria-describedby={described || undefined}
        aria-invalid={wrong ? true : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {wrong && (
        <span id={`${id}-wrong`} class="wrong">
          {wrong}
        </span>
      )}
      {hint && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
    </div>
  )
}

interface OwnChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
  readonly hint?: string
}

export function OwnChoice({ label, value, choices, onChange, hint }: OwnChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        aria-describedby={hint && `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
    </div>
  )
}

interface OwnFormProps {
  readonly label: string
  readonly onSubmit: () => unknown
  readonly children: ComponentChildren
}

export const OwnForm = ({ label, onSubmit, children }: OwnFormProps) => (
  <form
    class="own-form"
    aria-label={label}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

const SHOWN_MS = 2000

/** Copies a text. Only https and localhost have a clipboard. */
export function OwnCopy({ text, what }: { readonly text: string; readonly what: string }) {
  const { t } = useOwn()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(text)
    setCopied(navigator.clipboard !== undefined)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Button
      small
      kind="quiet"
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? t('copied') : t('copyWhat', { what })}
      onClick={copy}
    />
  )
}
