import type { ComponentChildren } from 'preact'
import { Fragment } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useLabels } from '../base/ui-labels.ts'
import { Button } from './button.tsx'
import { DayButton } from './calendar.tsx'

export interface FieldProps extends FrameProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  /** Hidden while it is typed, unless it is revealed. */
  readonly secret?: boolean
  readonly type?: 'text' | 'date' | 'search' | 'tel'
  /** The keyboard that a phone shows. */
  readonly inputMode?: 'numeric' | 'decimal'
  /** The possible values; no other is accepted. */
  readonly choices?: readonly (string | Suggestion)[] | undefined
  /** The choice of nothing; blank if there is none. */
  readonly blankChoice?: string
  /** Values that are suggested while somebody types, with their meanings. */
  readonly suggestions?: readonly Suggestion[]
  /** The value that a browser may fill in. */
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code'
  /** Lines of a text of several lines. */
  readonly rows?: number
}

interface Suggestion {
  readonly value: string
  readonly label: string
}

interface FrameProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly wrong?: string | undefined
  readonly required?: boolean
  /** Names and values as the API writes them. */
  readonly mono?: boolean
}

interface SharedProps {
  readonly id: string
  readonly class: string
  readonly required: boolean
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A label and its control; a screen reader reads its hint and its error together with it. */
function Frame({
  children,
  ...props
}: FrameProps & { readonly children: (shared: SharedProps) => ComponentChildren }) {
  const { label, hint, wrong, required = false, mono = false } = props
  const labels = useLabels()
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {mono ? <code>{label}</code> : label}
        {required && <span class="required"> {labels.required}</span>}
      </label>
      {children({
        id,
        class: `input${mono ? ' mono' : ''}`,
        required,
        'aria-describedby':
          [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined,
        'aria-invalid': wrong ? true : undefined,
      })}
      <Below id={`${id}-wrong`} className="wrong" text={wrong} />
      <Below id={`${id}-hint`} className="hint" text={hint} />
    </div>
  )
}

export const LabelledField = (props: FieldProps) => (
  <Frame {...props}>{(shared) => <Control {...props} shared={shared} />}</Frame>
)

interface FileFieldProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly accept: string
  readonly onChoose: (file: File | undefined) => unknown
}

/** It forgets its file when another one is chosen: a mended file of the same name is read again. */
export const FileField = ({ accept, onChoose, ...props }: FileFieldProps) => (
  <Frame {...props}>
    {(shared) => (
      <input
        {...shared}
        type="file"
        accept={accept}
        onClick={({ currentTarget }) => {
          currentTarget.value = ''
        }}
        onCancel={() => onChoose(undefined)}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
      />
    )}
  </Frame>
)

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

interface TickBoxesProps {
  readonly legend: string
  readonly boxes: readonly { readonly name: string; readonly says?: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly hint?: string | undefined
  readonly wrong?: string | undefined
}

/** Any number of some words. What is chosen and has no box stays chosen. */
export const TickBoxes = ({ legend, boxes, chosen, onChange, hint, wrong }: TickBoxesProps) => {
  const id = useId()
  return (
    <fieldset class="field stack" aria-describedby={hint || wrong ? `${id}-hint` : undefined}>
      <legend>{legend}</legend>
      {boxes.map(({ name, says }) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          <span>
            <code>{name}</code> {says}
          </span>
        </label>
      ))}
      <Below id={`${id}-hint`} className={wrong ? 'wrong' : 'hint'} text={wrong ?? hint} />
    </fieldset>
  )
}

interface BelowProps {
  readonly id: string
  readonly className: string
  readonly text: string | undefined
}

/** A text that begins with a code name, such as api_settings, keeps its first letter. */
const Below = ({ id, className, text }: BelowProps) =>
  text ? (
    <span id={id} class={/^(`|\w*_)/.test(text) ? `${className} verbatim` : className}>
      <RichText text={text} />
    </span>
  ) : null

function Control({ shared, placeholder = '', ...props }: FieldProps & { readonly shared: SharedProps }) {
  const input = {
    ...shared,
    value: props.value,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      props.onInput(currentTarget.value),
  }
  const { hasOwnDays } = useLabels()
  if (props.choices) return <Choice input={input} choices={props.choices} blank={props.blankChoice} />
  const text = {
    ...input,
    placeholder,
    autocomplete: props.autocomplete ?? ('off' as const),
    spellcheck: false,
    inputMode: props.inputMode,
  }
  if (props.rows !== undefined) return <textarea {...text} rows={props.rows} />
  if (props.secret) return <SecretInput input={text} label={props.label} />
  if (props.type === 'date' && !hasOwnDays)
    return (
      <span class="input-with-button">
        <input {...text} placeholder="2026-03-10" type="text" />
        <DayButton value={props.value} onChoose={props.onInput} label={props.label} />
      </span>
    )
  if (!props.suggestions) return <input {...text} {...TYPES[props.type ?? 'text']} />
  return (
    <>
      <input {...text} type="text" list={`${shared.id}-list`} />
      <datalist id={`${shared.id}-list`}>
        <Options choices={props.suggestions} />
      </datalist>
    </>
  )
}

const TYPES = {
  text: { type: 'text' },
  date: { type: 'date' },
  search: { type: 'search' },
  tel: { type: 'tel' },
  password: { type: 'password' },
} as const

interface ChoiceProps {
  readonly input: SharedProps & {
    readonly value: string
    readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void
  }
  readonly choices: readonly (string | Suggestion)[]
  readonly blank: string | undefined
}

const Choice = ({ input: { onInput, ...input }, choices, blank = 'not sent' }: ChoiceProps) => (
  <select {...input} onChange={onInput}>
    {blank !== '' && <option value="">{blank}</option>}
    <Options choices={choices} />
  </select>
)

const Options = ({ choices }: Pick<ChoiceProps, 'choices'>) => (
  <>
    {choices
      .filter(Boolean)
      .map((choice) => (typeof choice === 'string' ? { value: choice, label: choice } : choice))
      .map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
  </>
)

interface SecretInputProps {
  readonly input: Readonly<Record<string, unknown>>
  readonly label: string
}

function SecretInput({ input, label }: SecretInputProps) {
  const [isShown, setShown] = useState(false)
  const labels = useLabels()
  return (
    <span class="input-with-button">
      <input {...input} {...TYPES[isShown ? 'text' : 'password']} />
      <Button
        kind="quiet"
        icon={isShown ? 'hidden' : 'shown'}
        label={isShown ? labels.hide(label) : labels.show(label)}
        onClick={() => setShown(!isShown)}
      />
    </span>
  )
}

/** A sentence of the API's description, in which backticks mark what is written literally. */
export const RichText = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split('`')
      .map((piece, index) =>
        index % 2 === 1 ? <code key={index}>{piece}</code> : <Fragment key={index}>{piece}</Fragment>,
      )}
  </>
)
