import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { SentValues } from '../api/catalogue.ts'
import { isOperator } from '../part.ts'
import { goWith } from '../place.ts'
import { Button } from '../ui/button.tsx'

/** A filter as the API names it, with its title on a chip. */
const FILTERS = [
  ['number', 'Number begins with'],
  ['disposition', 'Result'],
  ['cause', 'Cause'],
  ['least-price', 'Price from'],
  ['most-price', 'Price to'],
  ['device', 'Device id'],
  ['provider', 'Provider id'],
  ['below-cost', 'Below cost'],
  ['unpriced', 'Without a price'],
  ['unknown-cost', 'Cost unknown'],
] as const

type FilterName = (typeof FILTERS)[number][0]

const OF_THE_OPERATOR: readonly FilterName[] = ['provider', 'below-cost', 'unpriced', 'unknown-cost']

/** The words of filters that take no others. */
const CHOICES: Partial<Record<FilterName, readonly string[]>> = {
  disposition: ['answered', 'busy', 'no answer', 'failed'],
  'below-cost': ['yes'],
  unpriced: ['yes'],
  'unknown-cost': ['yes'],
}

/** The filters in an address. */
export const filtersIn = (values: SentValues): SentValues =>
  Object.fromEntries(FILTERS.flatMap(([name]) => (values[name] ? [[name, values[name]]] : [])))

interface CallFiltersProps {
  readonly values: SentValues
  readonly session: SessionAnswer
}

/** The filters as chips, each with its cross, and the form that adds one. */
export function CallFilters({ values, session }: CallFiltersProps) {
  const offered = FILTERS.filter(([name]) => isOperator(session) || !OF_THE_OPERATOR.includes(name))
  const [name, setName] = useState<FilterName>('number')
  const [value, setValue] = useState('')
  const choices = CHOICES[name]
  const submit = (event: Event) => {
    event.preventDefault()
    const given = value.trim() || choices?.[0] || ''
    if (given !== '') goWith({ [name]: given, after: '' })
    setValue('')
  }
  return (
    <form class="filters cluster" aria-label="Filters" onSubmit={submit}>
      <Chips values={values} />
      <select
        class="input"
        aria-label="Filter by"
        value={name}
        onChange={({ currentTarget }) => {
          setName(offered.find(([one]) => one === currentTarget.value)?.[0] ?? 'number')
          setValue('')
        }}
      >
        {offered.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
      <FilterValue choices={choices} value={value} onInput={setValue} />
      <Button submits>Add the filter</Button>
    </form>
  )
}

const Chips = ({ values }: Pick<CallFiltersProps, 'values'>) => (
  <>
    {FILTERS.filter(([one]) => values[one]).map(([one, title]) => (
      <span key={one} class="chip">
        {title} <strong>{values[one]}</strong>
        <Button
          kind="quiet"
          small
          icon="close"
          label={`Remove the filter ${title}`}
          onClick={() => goWith({ [one]: '', after: '' })}
        />
      </span>
    ))}
  </>
)

interface FilterValueProps {
  readonly choices: readonly string[] | undefined
  readonly value: string
  readonly onInput: (value: string) => void
}

const FilterValue = ({ choices, value, onInput }: FilterValueProps) =>
  choices ? (
    <select
      class="input"
      aria-label="Value of the filter"
      value={value || choices[0]}
      onChange={({ currentTarget }) => onInput(currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  ) : (
    <input
      class="input"
      aria-label="Value of the filter"
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  )
