import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { navigate } from '../base/route.ts'
import { ActionForm } from '../fields/action.tsx'
import { customerNamed } from '../fields/customer-field.tsx'
import { Filters } from '../links/filters.tsx'

const DAYS = [
  { name: 'dated-from', label: 'Dated from', type: 'date' },
  { name: 'dated-till', label: 'Dated to', type: 'date' },
] as const

/**
 * The filters in an address, as it names them and as the API does. Links lead from section to section with
 * `from` and `till` of calls, which would hide older documents.
 */
export function documentFilters(values: SentValues, isOfMany: boolean) {
  const { customer = '', 'dated-from': from = '', 'dated-till': till = '' } = values
  const ofCustomer = isOfMany ? { customer } : {}
  return {
    named: { ...ofCustomer, 'dated-from': from, 'dated-till': till },
    wanted: { ...ofCustomer, from, till },
  }
}

interface DocumentFiltersProps {
  readonly values: SentValues
  /** Whether the customer is a filter, too. */
  readonly isOfMany: boolean
}

/** The customer and the days of documents. */
export function DocumentFilters({ values, isOfMany }: DocumentFiltersProps) {
  const { customer = '' } = isOfMany ? values : {}
  const { value } = useQuery(customer === '' ? undefined : `/customers/${encodeURIComponent(customer)}`)
  const chips = [
    { name: 'customer', title: 'Customer', text: customer && (value?.customer.name ?? customer) },
    ...DAYS.map(({ name, label }) => ({ name, title: label, text: values[name] ?? '' })),
  ]
  const apply = async (_once: string, { name = '', ...changed }: SentValues) => {
    const found = name.trim() === '' ? customer : String((await customerNamed(name)).id)
    navigate({ ...changed, ...(isOfMany && { customer: found }), after: '' })
  }
  return (
    <Filters title="Filter the documents" chips={chips.filter(({ text }) => text !== '')}>
      {(close) => (
        <ActionForm
          text="Apply"
          fields={isOfMany ? [{ name: 'name', label: 'Customer', control: 'customer' }, ...DAYS] : DAYS}
          initial={values}
          run={(once, wanted) => apply(once, wanted).then(close)}
        />
      )}
    </Filters>
  )
}
