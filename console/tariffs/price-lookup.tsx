import { useState } from 'preact/hooks'
import type { PriceAnswer } from '#lib/api/console/answers/calls.ts'
import { read } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { PriceSteps } from '../calls/price-steps.tsx'
import { CustomerField, customerNamed } from '../customers/customer-field.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { LabelledField } from '../ui/field.tsx'

/** The price of a number for a customer: that of the page, or one found by name. */
export function PriceLookup({ customer }: { readonly customer?: number }) {
  const [name, setName] = useState('')
  const [number, setNumber] = useState('')
  const [seconds, setSeconds] = useState('60')
  const [found, setFound] = useState<PriceAnswer>()
  const action = useAction()
  const submit = (event: Event) => {
    event.preventDefault()
    setFound(undefined)
    return action.run(async () => {
      const id = customer ?? (await customerNamed(name)).id
      setFound(await read<PriceAnswer>('/prices', { customer: id, number: number.trim(), seconds }))
    })
  }
  return (
    <Card title="What does a number cost?">
      <form class="line-form" onSubmit={submit}>
        {customer === undefined && <CustomerField value={name} onInput={setName} />}
        <LabelledField label="Number" required value={number} onInput={setNumber} hint="As it is dialled." />
        <LabelledField label="Seconds" value={seconds} onInput={setSeconds} />
        <Button kind="primary" submits isBusy={action.isUnderWay}>
          Look up
        </Button>
      </form>
      {action.problem && <RefusalNotice problem={action.problem} />}
      {found && (
        <section aria-label="Price" class="stack">
          <p>{`${found.customer.name} calls ${found.number} for ${found.seconds} seconds, at ${found.at}:`}</p>
          <PriceSteps rating={found.rating} currency={found.currency} />
        </section>
      )}
    </Card>
  )
}
