import type { RecordsAnswer } from '#lib/api/console/answers/records.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useReading } from '../api/use-reading.ts'
import { useSearch } from '../api/use-search.ts'
import { customersFound } from '../customers/customer-field.tsx'
import { LabelledField, SwitchField } from '../ui/field.tsx'
import type { DeclaredField } from './use-records.ts'

interface RecordControlProps {
  readonly field: DeclaredField
  readonly values: SentValues
  readonly named: string | undefined
  readonly wrong: string | undefined
  readonly onInput: (value: string) => void
}

export function RecordControl(props: RecordControlProps) {
  const { field, values, named, wrong, onInput } = props
  const { name, label, control, says } = field
  const value = values[name] ?? ''
  const shared = { label, value, onInput, wrong, hint: named ?? says ?? undefined }
  if (control === 'switch') return <SwitchField {...shared} />
  if (control === 'reference') return <Reference {...props} shared={shared} />
  return (
    <LabelledField
      {...shared}
      required={field.isRequired}
      secret={field.isSecret}
      {...(field.isSecret && { autocomplete: 'new-password' as const })}
      {...TYPES[control]}
      {...(control === 'choice' && {
        choices: field.choices,
        blankChoice: field.isRequired ? 'choose' : 'none',
      })}
    />
  )
}

const TYPES: Readonly<Record<string, object>> = {
  number: { inputMode: 'numeric' },
  money: { inputMode: 'decimal' },
  date: { type: 'date' },
  time: { placeholder: '2026-03-10 12:00:00' },
}

interface ReferenceProps extends RecordControlProps {
  readonly shared: Omit<Parameters<typeof LabelledField>[0], 'required'>
}

/** Accounts are many: they are searched. Devices are those of the chosen customer. */
function Reference(props: ReferenceProps) {
  const { field, values, shared } = props
  const customer = values['user_id'] ?? ''
  if (field.of === 'accounts') return <AccountReference {...props} />
  if (field.of !== 'devices') return <ChosenReference {...props} of={undefined} />
  if (customer !== '') return <ChosenReference {...props} of={customer} />
  return <LabelledField {...shared} required={field.isRequired} hint="An id." />
}

function AccountReference({ field, shared }: ReferenceProps) {
  const found = useSearch(/\D/.test(shared.value) ? shared.value : '', customersFound)
  return (
    <LabelledField
      {...shared}
      required={field.isRequired}
      hint={shared.hint ?? 'The beginning of a name, or an id.'}
      suggestions={found.map(({ id, name, username }) => ({
        value: String(id),
        label: `${name} (${username})`,
      }))}
    />
  )
}

const blankOf = ({ isRequired, of, says }: DeclaredField): string => {
  if (isRequired) return 'choose'
  return of === 'currencies' && says ? says.replace('blank is ', '') : 'none'
}

/** One is chosen, as long as the first page has them all. */
function ChosenReference({ field, shared, of }: ReferenceProps & { readonly of: string | undefined }) {
  const { value } = useReading<RecordsAnswer>(`/records/${field.of}`, { of })
  const known = value?.records.map(({ id, name }) => ({ value: id, label: name })) ?? []
  const isListed = shared.value === '' || known.some((one) => one.value === shared.value)
  if (!value || value.next !== null)
    return <LabelledField {...shared} required={field.isRequired} suggestions={known} />
  return (
    <LabelledField
      {...shared}
      hint={undefined}
      required={field.isRequired}
      choices={isListed ? known : [...known, shared.value]}
      blankChoice={blankOf(field)}
    />
  )
}
