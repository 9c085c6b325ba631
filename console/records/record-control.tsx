import { useState } from 'preact/hooks'
import { lazily } from '#lib/base/collections.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { useSearch } from '../api/use-search.ts'
import { CustomerField, customerNamed } from '../fields/customer-field.tsx'
import { Button } from '../ui/button.tsx'
import { type FieldProps, LabelledField, SwitchField, TickBoxes } from '../ui/field.tsx'
import { wordsOfChoice } from './record-views.ts'
import type { DeclaredField } from './use-records.ts'

interface ListFieldProps extends Pick<FieldProps, 'label' | 'value' | 'onInput' | 'hint' | 'wrong'> {
  /** The words that it takes, in an order that counts; any text without them. */
  readonly choices: readonly string[]
  readonly isOfDays: boolean
}

/** Several values, stored with commas between them. Each is removed by its button. */
function ListField({ label, value, onInput, choices, isOfDays, ...field }: ListFieldProps) {
  const [typed, setTyped] = useState('')
  const entries = wordsOf(value)
  const add = (text: string) => {
    const added = wordsOf(text).filter((one) => !entries.includes(one))
    setTyped('')
    if (added.length > 0) onInput([...entries, ...added].join(','))
  }
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
          ? { choices: choices.filter((one) => !entries.includes(one)), blankChoice: 'Add …', onInput: add }
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

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const isWhole = (day: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(day)

interface RecordControlProps {
  readonly kind: string
  readonly field: DeclaredField
  readonly values: SentValues
  /** The names of the records that the stored values name, by column. */
  readonly names: SentValues
  readonly stored: SentValues | undefined
  readonly wrong: string | undefined
  readonly onInput: (value: string) => void
}

export function RecordControl(props: RecordControlProps) {
  const { field, values, wrong, onInput } = props
  const { name, label, control } = field
  const value = values[name] ?? ''
  const shared = { label, value, onInput, wrong, hint: hintOf(field) }
  if (control === 'switch') return <Switch field={field} shared={shared} />
  if (control === 'list' && field.choices.length > 0 && field.of !== 'order')
    return (
      <TickBoxes
        {...{ legend: label, wrong, hint: shared.hint }}
        boxes={field.choices.map((one) => ({ name: one }))}
        chosen={wordsOf(value)}
        onChange={(chosen) => onInput(chosen.join(','))}
      />
    )
  if (control === 'list')
    return <ListField {...shared} choices={field.choices} isOfDays={field.of === 'days'} />
  if (control === 'reference') return <Reference {...props} shared={shared} />
  return (
    <LabelledField
      {...shared}
      required={field.isRequired}
      secret={field.isSecret}
      {...(field.isSecret && { autocomplete: 'new-password' as const })}
      {...TYPES[control]}
      {...(control === 'choice' && {
        choices: field.choices.map((one) => ({ value: one, label: wordsOfChoice(one) })),
        blankChoice: blankOf(field),
      })}
    />
  )
}

/** A switch of other words than 0 and 1 declares them. */
function Switch({ field: { choices }, shared }: Pick<ReferenceProps, 'field' | 'shared'>) {
  const [off = '0', on = '1'] = choices
  const { value, onInput, ...rest } = shared
  return (
    <SwitchField
      {...rest}
      value={value === on ? '1' : '0'}
      onInput={(digit) => onInput(digit === '1' ? on : off)}
    />
  )
}

const TYPES: Readonly<Record<string, object>> = {
  number: { inputMode: 'numeric' },
  money: { inputMode: 'decimal' },
  date: { type: 'date' },
  time: { type: 'date' },
}

interface ReferenceProps extends RecordControlProps {
  readonly shared: Omit<Parameters<typeof LabelledField>[0], 'required'>
}

/** Accounts are searched, because there are many. Devices are listed for one customer. */
function Reference(props: ReferenceProps) {
  if (props.field.of === 'accounts')
    return <CustomerField {...props.shared} required={props.field.isRequired} />
  if (props.field.of === 'devices') return <DeviceReference {...props} />
  if (props.field.of === 'countries') return <OneOf {...props} known={countries()} />
  if (props.field.of === 'zones')
    return (
      <LabelledField {...props.shared} suggestions={zones().map((zone) => ({ value: zone, label: '' }))} />
    )
  return <ChosenReference {...props} />
}

/** The countries of ISO 3166 that a browser has names of. */
const countries = lazily(() => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((one) => letters.map((other) => one + other))
  return codes
    .flatMap((value) => {
      const name = NO_COUNTRIES.has(value) ? undefined : names.of(value)
      return name === undefined ? [] : [{ value, label: name }]
    })
    .sort((one, other) => one.label.localeCompare(other.label))
})

/** Codes of groups and of test data that have names, too. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'])

const zones = lazily(() => Intl.supportedValuesOf('timeZone'))

/** The customer is that of the record; where a record has none, it is asked for with the device. */
function DeviceReference(props: ReferenceProps) {
  const { values, names, stored } = props
  const [asked, setAsked] = useState('')
  const customer = values['user_id'] ?? asked
  const isStored = customer !== '' && customer === names['user_id']
  const [found] = useSearch(isStored ? '' : customer, idsOfCustomer)
  const owner = isStored ? stored?.['user_id'] : found
  return (
    <>
      {values['user_id'] === undefined && (
        <CustomerField label="Customer of the device" value={asked} onInput={setAsked} required={false} />
      )}
      {owner === undefined ? (
        <OneOf {...props} known={[]} hint="Choose the customer first." />
      ) : (
        <ChosenReference {...props} of={owner} />
      )}
    </>
  )
}

const idsOfCustomer = async (text: string): Promise<string[]> => [String((await customerNamed(text)).id)]

const blankOf = ({ isRequired, blank }: DeclaredField): string => (isRequired ? 'choose' : (blank ?? 'none'))

/** A list has the meaning of its blank choice. */
function hintOf({ control, of, says, blank }: DeclaredField): string | undefined {
  const isChosen = control === 'choice' || (of !== null && of !== 'accounts')
  return [says, isChosen ? null : blank && `blank: ${blank}`].filter(Boolean).join('; ') || undefined
}

/** One is chosen, as long as the first page has them all. */
function ChosenReference(props: ReferenceProps & { readonly of?: string }) {
  const { field, shared, of } = props
  const { value } = useQuery(`/records/${field.of}`, { of })
  const known = value?.records.map(({ id, name }) => ({ value: id, label: name })) ?? []
  if (value && value.next === null) return <OneOf {...props} known={known} />
  return <LabelledField {...shared} required={field.isRequired} suggestions={known} />
}

interface OneOfProps extends ReferenceProps {
  readonly known: readonly { readonly value: string; readonly label: string }[]
  readonly hint?: string
}

function OneOf({ field, shared, names, stored, known, hint }: OneOfProps) {
  const { value } = shared
  const isListed = value === '' || known.some((one) => one.value === value)
  const label = (value === stored?.[field.name] && names[field.name]) || value
  return (
    <LabelledField
      {...shared}
      hint={hint ?? shared.hint}
      required={field.isRequired}
      choices={isListed ? known : [...known, { value, label }]}
      blankChoice={blankOf(field)}
    />
  )
}
