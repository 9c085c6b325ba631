import type { PriceStep, RatingAnswer } from '#lib/api/console/answers/calls.ts'
import { BLANK } from '../base/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Notice } from '../ui/notice.tsx'

interface PriceStepsProps {
  readonly rating: RatingAnswer
  readonly currency: string
}

/** The price of a call as the tariffs make it: one step for each who pays. */
export const PriceSteps = ({ rating, currency }: PriceStepsProps) => (
  <div class="stack">
    {rating.numberSteps.length > 2 && <p class="muted">{`${rating.numberSteps.join('; ')}.`}</p>}
    {rating.free && <p>{rating.free}</p>}
    <ol class="steps">
      {rating.steps.map((step) => (
        <li key={step.payer}>
          <Step step={step} digits={rating.digits} currency={currency} />
        </li>
      ))}
    </ol>
    {rating.problem && <Notice tone="warn" title={rating.problem} />}
    {rating.unknownCost !== null && <p>{`Margin unknown: ${rating.unknownCost}.`}</p>}
    {rating.margin !== null && (
      <p>
        Margin <strong>{`${rating.margin} ${currency}`}</strong>{' '}
        {rating.isBelowCost && <Badge tone="bad" text="Below cost" />}
      </p>
    )}
  </div>
)

const PAYERS: Readonly<Record<PriceStep['payer'], string>> = {
  customer: 'The customer pays',
  reseller: 'The reseller pays',
  provider: 'The provider charges',
}

interface StepProps {
  readonly step: PriceStep
  readonly digits: string
  readonly currency: string
}

const Step = ({ step, digits, currency }: StepProps) => (
  <>
    <strong>{PAYERS[step.payer]}</strong>{' '}
    {step.price !== null && <strong>{`${step.price} ${currency}`}</strong>}
    <p class="muted">{`tariff ${step.tariff.name}, version ${step.version ?? BLANK}`}</p>
    {step.caller && <p class="muted">{step.caller.join('; ')}</p>}
    {step.rate ? <RateOfStep step={step} /> : <p>{`There is no rate for ${digits}.`}</p>}
  </>
)

function RateOfStep({ step: { rate, billedSeconds, exchangeRate } }: Pick<StepProps, 'step'>) {
  if (!rate) return null
  const { prefix, destination, perMinute, fee, currency, increment, minimum, hours, isBlocked } = rate
  if (isBlocked) return <p>{`Prefix ${prefix} ${destination} is blocked.`}</p>
  return (
    <p>
      {`Prefix ${prefix} ${destination}: ${perMinute} ${currency} a minute and ${fee} ${currency} for the connection, ${hours}. `}
      {`${billedSeconds ?? 0} seconds billed, in steps of ${increment}, at least ${minimum}. `}
      {exchangeRate !== null && `1 of the default currency is ${exchangeRate} ${currency}.`}
    </p>
  )
}
