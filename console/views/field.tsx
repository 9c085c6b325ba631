interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  /** Not shown while it is typed. */
  readonly secret?: boolean
  readonly placeholder?: string
  readonly required?: boolean
  readonly hint?: string
}

const HIDDEN = { type: 'password' } as const
const SHOWN = { type: 'text' } as const

/** A labelled input, its hint told together with it. */
export function Field({
  label,
  value,
  onInput,
  hint,
  secret = false,
  placeholder = '',
  required = false,
}: FieldProps) {
  const id = `field-${label.toLowerCase().replaceAll(/\W+/g, '-')}`
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && <span class="required"> required</span>}
      </label>
      <input
        id={id}
        {...(secret ? HIDDEN : SHOWN)}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}
