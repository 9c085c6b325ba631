import type { CallAnswer } from '#lib/api/console/answers/calls.ts'
import { useReading } from '../api/use-reading.ts'
import { BLANK } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { Loaded } from '../states/loaded.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { PriceSteps } from './price-steps.tsx'

interface CallPanelProps {
  readonly id: string
  /** Whether the customer has a page that the session sees. */
  readonly isLinked: boolean
  readonly onClose: () => void
}

export function CallPanel({ id, isLinked, onClose }: CallPanelProps) {
  const reading = useReading<CallAnswer>(`/calls/${encodeURIComponent(id)}`)
  return (
    <SidePanel title="Call" onClose={onClose}>
      <Loaded reading={reading} what="the call" lines={10}>
        {(answer) => <Details answer={answer} isLinked={isLinked} />}
      </Loaded>
    </SidePanel>
  )
}

const Details = ({ answer, isLinked }: { readonly answer: CallAnswer; readonly isLinked: boolean }) => (
  <>
    <Facts facts={factsOf(answer, isLinked)} />
    <h3>Price</h3>
    {answer.rating ? (
      <PriceSteps rating={answer.rating} currency={answer.currency} />
    ) : (
      <p class="muted">This call came with its price, so no tariff of this installation explains it.</p>
    )}
  </>
)

function factsOf({ call, currency, prices, ...answer }: CallAnswer, isLinked: boolean): Fact[] {
  const amount = (price: string | null) => (price === null ? BLANK : `${price} ${currency}`)
  const { id, name } = call.customer
  const facts: [string, Fact[1] | null][] = [
    ['Time', call.at],
    ['From', call.from],
    ['To', call.to],
    ['Customer', isLinked ? <CustomerLink id={id} name={name} /> : name],
    ['Result', `${call.disposition.toLowerCase()}, cause ${call.cause}`],
    ['Billed seconds', `${call.seconds} of ${answer.duration}`],
    ['Direction', answer.isIncoming ? 'received' : 'made'],
    ['Device', answer.device?.name ?? null],
    ['Provider', answer.provider],
    ['Switch', answer.source],
    ['Unique id', answer.uniqueid],
    ['Price', amount(prices.customer)],
    ['Reseller pays', prices.reseller === null ? null : amount(prices.reseller)],
    ['Provider charges', prices.provider === null ? null : amount(prices.provider)],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]]))
}
