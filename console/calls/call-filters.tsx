import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { isOperator } from '../base/section.ts'
import { Filters } from '../fields/filters.tsx'
import { useRecordNames } from '../records/use-records.ts'

interface Filter {
  readonly name: string
  readonly label: string
  readonly isOfOperator?: true
  readonly isOfSellers?: true
  readonly choices?: readonly string[]
}

const FILTERS: readonly Filter[] = [
  { name: 'device', label: 'Device' },
  { name: 'provider', label: 'Provider', isOfOperator: true },
  { name: 'number', label: 'Number begins with' },
  { name: 'disposition', label: 'Result', choices: ['answered', 'busy', 'no answer', 'failed'] },
  { name: 'cause', label: 'Cause' },
  { name: 'least-price', label: 'Price from' },
  { name: 'most-price', label: 'Price to' },
  { name: 'below-cost', label: 'Below cost', isOfSellers: true, choices: ['yes'] },
  { name: 'unpriced', label: 'Without a price', isOfOperator: true, choices: ['yes'] },
  { name: 'unknown-cost', label: 'Cost unknown', isOfOperator: true, choices: ['yes'] },
]

export const filtersIn = (values: SentValues): SentValues =>
  Object.fromEntries(
    ['customer', ...FILTERS.map(({ name }) => name)].flatMap((name) =>
      values[name] ? [[name, values[name]]] : [],
    ),
  )

interface CallFiltersProps {
  readonly values: SentValues
  readonly session: SessionAnswer
  /** The only customer; without it, the customer is a filter. */
  readonly customer: number | undefined
}

/** The devices are the chosen customer's. */
export function CallFilters({ values, session, customer }: CallFiltersProps) {
  const chosen = customer ?? (values['customer'] || (session.type === 'user' ? session.id : undefined))
  const { value } = useQuery(chosen === undefined ? undefined : `/customers/${encodeURIComponent(chosen)}`)
  const provider = useRecordNames(isOperator(session) ? 'providers' : undefined)
  const named: Readonly<Record<string, readonly (readonly [id: string, name: string])[]>> = {
    provider: [...provider],
    device: value?.devices.map(({ id, name }) => [String(id), name]) ?? [],
  }
  const offered = FILTERS.filter(({ name, isOfOperator, isOfSellers }) => {
    if (isOfSellers && session.type === 'user') return false
    return (
      (isOperator(session) || !isOfOperator) && (name !== 'device' || values[name] || value?.devices.length)
    )
  })
  return (
    <Filters
      of="calls"
      values={values}
      isOfMany={customer === undefined && session.type !== 'user'}
      customerName={value?.customer.name}
      fields={offered.map(({ name, label, choices }) => ({
        ...{ name, label, blankChoice: 'any' },
        choices: named[name]?.map(([id, text]) => ({ value: id, label: text })) ?? choices,
      }))}
    />
  )
}
