import type { NamedCustomer } from '../api/customers.ts'
import { Field } from './field.tsx'

interface CustomerFieldProps {
  readonly value: string
  readonly onInput: (value: string) => void
  /** Those that are suggested. */
  readonly customers: readonly NamedCustomer[]
}

/** Asks for the id of a customer. */
export const CustomerField = ({ customers, ...control }: CustomerFieldProps) => (
  <Field
    label="Customer"
    required
    {...control}
    suggestions={customers.map(({ id, name }) => ({ value: id, label: name }))}
    hint="The id of an account. Names are suggested where the API tells them."
  />
)
