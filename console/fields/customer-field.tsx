import type { CustomerRow } from '#lib/api/console/answers/customers.ts'
import { RefusedRequest, read } from '../api/console-api.ts'
import { useSearch } from '../api/use-search.ts'
import { LabelledField } from '../ui/field.tsx'

interface CustomerFieldProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly required?: boolean
  readonly label?: string
  readonly wrong?: string | undefined
  readonly hint?: string | undefined
}

/** A customer by its username, its id or the beginning of a name; those that are found are suggested. */
export function CustomerField({ required = true, label = 'Customer', ...field }: CustomerFieldProps) {
  const found = useSearch(field.value, customersFound)
  return (
    <LabelledField
      {...{ ...field, label, required }}
      hint={field.hint ?? 'The beginning of a name, or an id.'}
      suggestions={found.map(({ name, username }) => ({ value: username, label: name }))}
    />
  )
}

/** The customer with this username or id, or the only match. Throws RefusedRequest for none or several. */
export async function customerNamed(text: string): Promise<CustomerRow> {
  const search = text.trim()
  const found = await customersFound(search)
  const named = found.find(({ id, username }) =>
    [username.toLowerCase(), String(id)].includes(search.toLowerCase()),
  )
  const [only, ...others] = named ? [named] : found
  if (!only) throw new RefusedRequest('unknown_customer', `No customer matches “${search}”.`)
  if (others.length === 0) return only
  const names = found.map(({ username }) => username).slice(0, MAX_NAMED)
  throw new RefusedRequest(
    'several_customers',
    `Several customers are found by “${search}”: write ${names.join(' or ')}.`,
  )
}

const MAX_NAMED = 5

const customersFound = async (search: string): Promise<CustomerRow[]> =>
  (await read('/customers', { search })).customers
