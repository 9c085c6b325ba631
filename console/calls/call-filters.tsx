import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { navigate } from '../base/route.ts'
import { isOperator } from '../base/section.ts'
import { ActionForm } from '../fields/action.tsx'
import { customerNamed } from '../fields/customer-field.tsx'
import type { FormField } from '../fields/form-fields.tsx'
import { Filters } from '../links/filters.tsx'
import { useRecordNames } from '../records/use-records.ts'

interface Filter {
  readonly name: string
  readonly title: string
  readonly isOfOperator?: true
  readonly isOfSellers?: true
  readonly choices?: readonly string[]
}

const FILTERS: readonly Filter[] = [
  { name: 'customer', title: 'Customer' },
  { name: 'device', title: 'Device' },
  { name: 'provider', title: 'Provider', isOfOperator: true },
  { name: 'number', title: 'Number begins with' },
  { name: 'disposition', title: 'Result', choices: ['answered', 'busy', 'no answer', 'failed'] },
  { name: 'cause', title: 'Cause' },
  { name: 'least-price', title: 'Price from' },
  { name: 'most-price', title: 'Price to' },
  { name: 'below-cost', title: 'Below cost', isOfSellers: true, choices: ['yes'] },
  { name: 'unpriced', title: 'Without a price', isOfOperator: true, choices: ['yes'] },
  { name: 'unknown-cost', title: 'Cost unknown', isOfOperator: true, choices: ['yes'] },
]

export const filtersIn = (values: SentValues): SentValues =>
  Object.fromEntries(FILTERS.flatMap(({ name }) => (values[name] ? [[name, values[name]]] : [])))

interface CallFiltersProps {
  readonly values: SentValues
  readonly session: SessionAnswer
  /** The only customer; without it, the customer is a filter. */
  readonly customer: number | undefined
}

export function CallFilters({ values, session, customer }: CallFiltersProps) {
  const names = useNames(values, session, customer)
  const chips = FILTERS.flatMap(({ name, title }) => {
    const { [name]: value = '' } = values
    const text = names[name]?.get(value) ?? value
    return value === '' ? [] : [{ name, title, text, ...(name === 'customer' && { alsoClears: 'device' }) }]
  })
  return (
    <Filters title="Filter the calls" chips={chips}>
      {(close) => <FilterForm {...{ values, session, customer, names }} onDone={close} />}
    </Filters>
  )
}

type Names = Readonly<Record<string, ReadonlyMap<string, string>>>

/** The names of the filters of calls, by id. The devices are the chosen customer's. */
function useNames(values: SentValues, session: SessionAnswer, only: number | undefined): Names {
  const chosen = only ?? (values['customer'] || (session.type === 'user' ? session.id : undefined))
  const { value } = useQuery(chosen === undefined ? undefined : `/customers/${encodeURIComponent(chosen)}`)
  const provider = useRecordNames(isOperator(session) ? 'providers' : undefined)
  return {
    provider,
    customer: new Map(value && [[String(value.customer.id), value.customer.name]]),
    device: new Map(value?.devices.map(({ id, name }) => [String(id), name])),
  }
}

interface FilterFormProps extends CallFiltersProps {
  readonly names: Names
  readonly onDone: () => void
}

const CUSTOMER: FormField = { name: 'name', label: 'Customer', control: 'customer' }

function FilterForm({ values, session, customer, names, onDone }: FilterFormProps) {
  const offered = FILTERS.filter(({ name, isOfOperator, isOfSellers }) => {
    if (name === 'customer' || (isOfSellers && session.type === 'user')) return false
    return (isOperator(session) || !isOfOperator) && (name !== 'device' || names['device']?.size)
  })
  const fields = offered.map((one) => ({
    ...{ name: one.name, label: one.title, blankChoice: 'any' },
    choices: choicesOf(one, names),
  }))
  const apply = async (_once: string, { name = '', ...wanted }: SentValues) => {
    const id = name.trim() === '' ? '' : String((await customerNamed(name)).id)
    const trimmed = FILTERS.map((one) => [one.name, wanted[one.name]?.trim() ?? ''])
    onDone()
    navigate({ ...Object.fromEntries(trimmed), ...(id && { customer: id, device: '' }), after: '' })
  }
  const isOfMany = customer === undefined && session.type !== 'user'
  return (
    <ActionForm
      text="Apply"
      fields={isOfMany ? [CUSTOMER, ...fields] : fields}
      initial={values}
      run={apply}
    />
  )
}

function choicesOf({ name, choices }: Filter, names: Names) {
  const named = names[name]
  return named ? [...named].map(([value, label]) => ({ value, label })) : choices
}
