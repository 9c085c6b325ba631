import { useState } from 'preact/hooks'
import type { PriceAnswer } from '#lib/api/console/answers/calls.ts'
import { read } from '../api/console-api.ts'
import { PriceSteps } from '../calls/price-steps.tsx'
import { ActionForm } from '../fields/action.tsx'
import { customerNamed } from '../fields/customer-field.tsx'
import { Card } from '../ui/card.tsx'

const CUSTOMER = { name: 'name', label: 'Customer', control: 'customer', required: true } as const

const FIELDS = [
  { name: 'number', label: 'Number', required: true, hint: 'As it is dialled.' },
  { name: 'seconds', label: 'Seconds' },
]

/** The price of a number for a customer: that of the page, or one found by name. */
export function PriceLookup({ customer }: { readonly customer?: number }) {
  const [found, setFound] = useState<PriceAnswer>()
  return (
    <Card title="What does a number cost?">
      <ActionForm
        isLine
        text="Look up"
        fields={customer === undefined ? [CUSTOMER, ...FIELDS] : FIELDS}
        initial={{ seconds: '60' }}
        run={async (_once, { name = '', number = '', seconds }) => {
          setFound(undefined)
          const id = customer ?? (await customerNamed(name)).id
          setFound(await read<PriceAnswer>('/prices', { customer: id, number: number.trim(), seconds }))
        }}
      />
      {found && (
        <section aria-label="Price" class="stack">
          <p>{`${found.customer.name} calls ${found.number} for ${found.seconds} seconds, at ${found.at}:`}</p>
          <PriceSteps rating={found.rating} currency={found.currency} />
        </section>
      )}
    </Card>
  )
}
