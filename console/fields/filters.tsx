import { useState } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import { navigate } from '../base/route.ts'
import { Button } from '../ui/button.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { ActionForm } from './action.tsx'
import { customerNamed } from './customer-field.tsx'
import type { FormField } from './form-fields.tsx'

const CUSTOMER: FormField = { name: 'customer', label: 'Customer', control: 'customer' }

interface FiltersProps {
  /** The rows of the list, such as `calls`. */
  readonly of: string
  /** The values of the address. */
  readonly values: SentValues
  readonly fields: readonly FormField[]
  /** Whether the customer is a filter, too. */
  readonly isOfMany: boolean
  readonly customerName: string | undefined
}

/** The filters of a list as chips, each with its cross, and the form that sets them in the address. */
export function Filters({ of, values, fields, isOfMany, customerName }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const all = isOfMany ? [CUSTOMER, ...fields] : fields
  /** The address has the id of a customer, the form its name. */
  const shown = customerName === undefined ? values : { ...values, customer: customerName }
  const textOf = ({ name, choices }: FormField) => nameOfChoice(choices, values[name]) ?? shown[name]
  /** The devices are the customer's. */
  const set = (changed: SentValues) =>
    navigate({ ...changed, ...(changed['customer'] !== undefined && { device: '' }), after: '' })
  const apply = async (_once: string, wanted: SentValues) => {
    const texts = all.map(({ name }) => [name, wanted[name]?.trim() ?? ''] as const)
    const changed = Object.fromEntries(texts.filter(([name, text]) => text !== (shown[name] ?? '')))
    const { customer } = changed
    const found = customer && { customer: String((await customerNamed(customer)).id) }
    setOpen(false)
    set({ ...changed, ...found })
  }
  return (
    <>
      <div class="filters cluster">
        <Button opens icon="filter" onClick={() => setOpen(true)}>
          Filter
        </Button>
        {all
          .filter(({ name }) => values[name])
          .map((field) => (
            <span key={field.name} class="chip">
              {field.label} <strong>{textOf(field)}</strong>
              <Button
                kind="quiet"
                small
                icon="close"
                label={`Remove the filter ${field.label}`}
                onClick={() => set({ [field.name]: '' })}
              />
            </span>
          ))}
      </div>
      {isOpen && (
        <SidePanel title={`Filter the ${of}`} onClose={() => setOpen(false)}>
          <ActionForm text="Apply" fields={all} initial={shown} run={apply} />
        </SidePanel>
      )}
    </>
  )
}

const nameOfChoice = (choices: FormField['choices'], value: string | undefined): string | undefined =>
  choices?.flatMap((one) => (typeof one !== 'string' && one.value === value ? [one.label] : []))[0]
