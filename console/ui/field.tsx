import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { DayButton } from './calendar.tsx'
import { RichText } from './rich-text.tsx'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string | undefined
  readonly wrong?: string | undefined
  readonly placeholder?: string
  readonly required?: boolean
  /** Hidden while it is typed, unless it is revealed. */
  readonly secret?: boolean
  /** Names and values as the API writes them. */
  readonly mono?: boolean
  readonly type?: 'text' | 'date' | 'search'
  /** The keyboard that a phone shows. */
  readonly inputMode?: 'numeric' | 'decimal'
  /** What to choose from; only these are possible. */
  readonly choices?: readonly (string | Suggestion)[] | undefined
  readonly blankChoice?: string
  /** Values that are suggested while somebody types, with what they stand for. */
  readonly suggestions?: readonly Suggestion[]
  /** The words beside the label and on the button of a secret, where a page is not in English. */
  readonly words?: FieldWords
  /** The value that a browser may fill in. */
  readonly autocomplete?: 'username' | 'current-password' | 'new-password'
  /** Lines of a text of several lines. */
  readonly rows?: number
}

interface FieldWords {
  readonly required: string
  readonly show: string
  readonly hide: string
}

interface Suggestion {
  readonly value: string
  readonly label: string
}

/** A labelled control; a screen reader tells its hint and what is wrong together with it. */
export function LabelledField(props: FieldProps) {
  const { label, hint, wrong, required = false, mono = false } = props
  const id = useId()
  const shared: SharedProps = {
    id,
    class: `input${mono ? ' mono' : ''}`,
    value: props.value,
    required,
    'aria-describedby': [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': wrong ? true : undefined,
  }
  return (
    <div class="field">
      <label for={id}>
        {mono ? <code>{label}</code> : label}
        {required && <span class="required"> {props.words?.required ?? 'required'}</span>}
      </label>
      <Control {...props} shared={shared} />
      <Below id={`${id}-wrong`} className="wrong" text={wrong} />
      <Below id={`${id}-hint`} className="hint" text={hint} />
    </div>
  )
}

interface FileFieldProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly accept: string
  readonly onChoose: (file: File | undefined) => unknown
}

export function FileField({ label, hint, accept, onChoose }: FileFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="file"
        accept={accept}
        aria-describedby={hint && `${id}-hint`}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
      />
      <Below id={`${id}-hint`} className="hint" text={hint} />
    </div>
  )
}

/** On or off, as `1` or `0`. */
export function SwitchField({ label, value, onInput, hint, wrong }: Omit<FieldProps, 'required'>) {
  const id = useId()
  return (
    <div class="field">
      <label class="switch" for={id}>
        <input
          id={id}
          type="checkbox"
          role="switch"
          checked={value === '1'}
          aria-checked={value === '1'}
          aria-describedby={hint || wrong ? `${id}-hint` : undefined}
          onChange={({ currentTarget }) => onInput(currentTarget.checked ? '1' : '0')}
        />
        {label}
      </label>
      <Below id={`${id}-hint`} className={wrong ? 'wrong' : 'hint'} text={wrong ?? hint} />
    </div>
  )
}

interface BelowProps {
  readonly id: string
  readonly className: string
  readonly text: string | undefined
}

const Below = ({ id, className, text }: BelowProps) =>
  text ? (
    <span id={id} class={className}>
      <RichText text={text} />
    </span>
  ) : null

interface SharedProps {
  readonly id: string
  readonly class: string
  readonly value: string
  readonly required: boolean
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface ControlProps extends FieldProps {
  readonly shared: SharedProps
}

function Control({ shared, placeholder = '', ...props }: ControlProps) {
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    props.onInput(event.currentTarget.value)
  if (props.choices)
    return (
      <Choice
        shared={shared}
        choices={props.choices}
        blank={props.blankChoice ?? 'not sent'}
        onInput={onInput}
      />
    )
  const text = {
    placeholder,
    autocomplete: props.autocomplete ?? ('off' as const),
    spellcheck: false,
    inputMode: props.inputMode,
    onInput,
  }
  if (props.rows !== undefined) return <textarea {...shared} {...text} rows={props.rows} />
  const input = { ...shared, ...text }
  if (props.secret) return <SecretInput input={input} label={props.label} words={props.words} />
  if (props.type === 'date') return <DayInput {...props} input={input} />
  if (props.suggestions) return <Suggested input={input} suggestions={props.suggestions} />
  return <input {...input} {...TYPES[props.type ?? 'text']} />
}

const TYPES = {
  text: { type: 'text' },
  search: { type: 'search' },
  password: { type: 'password' },
} as const

interface InputProps {
  readonly input: SharedProps
}

/** Any text; the browser offers what fits to what is typed. */
const Suggested = ({ input, suggestions }: InputProps & { readonly suggestions: readonly Suggestion[] }) => (
  <>
    <input {...input} type="text" list={`${input.id}-list`} />
    <datalist id={`${input.id}-list`}>
      {suggestions.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </datalist>
  </>
)

const DayInput = ({
  input,
  value,
  label,
  onInput,
}: InputProps & Pick<FieldProps, 'value' | 'label' | 'onInput'>) => (
  <span class="input-with-button">
    <input {...input} placeholder="2026-03-10" type="text" />
    <DayButton value={value} onChoose={onInput} label={label} />
  </span>
)

interface ChoiceProps {
  readonly shared: SharedProps
  readonly choices: readonly (string | Suggestion)[]
  readonly blank: string
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void
}

const Choice = ({ shared, choices, blank, onInput }: ChoiceProps) => (
  <select {...shared} onChange={onInput}>
    <option value="">{blank}</option>
    {choices
      .filter(Boolean)
      .map((choice) => (typeof choice === 'string' ? { value: choice, label: choice } : choice))
      .map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
  </select>
)

interface SecretInputProps {
  readonly input: Readonly<Record<string, unknown>>
  readonly label: string
  readonly words: Omit<FieldWords, 'required'> | undefined
}

const wordsFor = (label: string) => ({
  show: `Show ${label.toLowerCase()}`,
  hide: `Hide ${label.toLowerCase()}`,
})

function SecretInput({ input, label, words = wordsFor(label) }: SecretInputProps): ComponentChildren {
  const [isShown, setShown] = useState(false)
  return (
    <span class="input-with-button">
      <input {...input} {...TYPES[isShown ? 'text' : 'password']} />
      <Button
        kind="quiet"
        icon={isShown ? 'hidden' : 'shown'}
        label={isShown ? words.hide : words.show}
        onClick={() => setShown(!isShown)}
      />
    </span>
  )
}
