import { useState } from 'preact/hooks'
import type { MayCallAnswer, PriceAnswer } from '#lib/api/console/answers/calls.ts'
import { read } from '../api/console-api.ts'
import { formatCounted, formatLength } from '../base/format.ts'
import { PriceSteps } from '../calls/price-steps.tsx'
import { ActionForm } from '../fields/action.tsx'
import { customerNamed } from '../fields/customer-field.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'

const CUSTOMER = { name: 'name', label: 'Customer', control: 'customer', required: true } as const

const FIELDS = [
  { name: 'number', label: 'Number', required: true, hint: 'As it is dialled.' },
  { name: 'seconds', label: 'Seconds' },
]

/** Whether a customer may call a number, and its price: the customer of the page, or one found by name. */
export function PriceLookup({ customer }: { readonly customer?: number }) {
  const [found, setFound] = useState<PriceAnswer & { readonly mayCall: MayCallAnswer }>()
  return (
    <Card title="May it call, and what does it cost?">
      <ActionForm
        isLine
        text="Look up"
        fields={customer === undefined ? [CUSTOMER, ...FIELDS] : FIELDS}
        initial={{ seconds: '60' }}
        run={async (_once, { name = '', number = '', seconds }) => {
          setFound(undefined)
          const id = customer ?? (await customerNamed(name)).id
          const wanted = { number: number.trim() }
          const [price, mayCall] = await Promise.all([
            read('/prices', { customer: id, ...wanted, seconds }),
            read(`/customers/${id}/may-call`, wanted),
          ])
          setFound({ ...price, mayCall })
        }}
      />
      {found && (
        <section aria-label="Price" class="stack">
          <p>{`${found.customer.name} calls ${found.number} for ${found.seconds} seconds, at ${found.at}:`}</p>
          <Verdict answer={found.mayCall} />
          <PriceSteps rating={found.rating} currency={found.currency} />
          <Rules answer={found.mayCall} />
        </section>
      )}
    </Card>
  )
}

interface MayCallProps {
  readonly answer: MayCallAnswer
}

const HOUR_SECONDS = 3600

const Verdict = ({ answer: { allow, seconds, isAsked } }: MayCallProps) => (
  <p>
    <strong>{allow ? `May begin now, for at most ${mostTime(seconds)}.` : 'May not begin now.'}</strong>{' '}
    {!isAsked && 'Call_Control is off, so no switch asks.'}
  </p>
)

const mostTime = (seconds: number): string =>
  seconds < HOUR_SECONDS ? formatLength(seconds) : formatCounted(Math.floor(seconds / HOUR_SECONDS), 'hour')

/** The rules of call control, one by one, with what each has seen. */
function Rules({ answer: { rules } }: MayCallProps) {
  const asked = rules.filter(({ state }) => state !== 'not_asked')
  return (
    <>
      <ol class="steps">
        {asked.map(({ rule, state, says }) => (
          <li key={rule}>
            <strong>{RULES[rule] ?? rule}</strong>{' '}
            {state === 'refused' && <Badge tone="bad" text={`Refused: ${rule}`} />}
            <p class="muted">{says}</p>
          </li>
        ))}
      </ol>
      {asked.length < rules.length && (
        <p class="muted">{`${rules.length - asked.length} further rules were not asked.`}</p>
      )}
    </>
  )
}

const RULES: Readonly<Record<string, string>> = {
  unknown_account: 'Customer',
  blocked: 'Blocked',
  unknown_rate: 'Rate',
  blocked_destination: 'Blocked destination',
  new_country: 'New country',
  too_dear: 'Highest rate',
  calls_limit: 'Concurrent calls',
  daily_limit: 'Daily limit',
  no_money: 'Money',
}
