import type { DocumentsAnswer } from '#lib/api/console/answers/billing.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { add } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'
import { pathFor, useQuery } from '../api/use-query.ts'
import { formatCount, formatMoney, formatPercent } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'
import { Card } from '../ui/card.tsx'

interface NeedsAttentionProps {
  readonly session: SessionAnswer
  readonly belowCost: number
  readonly unpriced: number
  readonly unknownCost: number
  /** Calls that paid as those of a caller without a usable number, among all. */
  readonly invalidCallers: number
  readonly calls: number
}

/** Work that waits for an operator; nothing is shown without any. */
export function NeedsAttention({ session, ...calls }: NeedsAttentionProps) {
  const suspense = useQuery(pathFor(session, 'suspense', '/suspense')).value
  const failed = useQuery(pathFor(session, 'imports', '/failed-imports')).value
  const webhooks = useQuery(pathFor(session, 'webhooks', '/webhooks')).value
  const clocks = useQuery(pathFor(session, 'switches', '/intakes/clocks')).value
  const mails = useQuery(pathFor(session, 'billing', '/documents/mails')).value?.mails.filter(
    ({ state }) => state === 'refused' || state === 'bounced' || state === 'in_doubt',
  )
  const losses = useQuery(pathFor(session, 'billing', '/month/losses')).value
  const overdue = useQuery('/documents', { kind: 'invoices', status: 'overdue' }).value
  const items = [
    itemAbout(suspense?.entries.length, {
      noun: 'suspended CDR',
      href: linkToRoute(['suspense']),
      rest: 'not billed yet',
      next: suspense?.next,
    }),
    itemAbout(failed?.imports.length, {
      noun: 'file',
      href: linkToRoute(['imports']),
      rest: 'not imported, or not whole',
    }),
    itemAbout(webhooks?.endpoints.filter(({ disabled }) => disabled !== null).length, {
      noun: 'webhook',
      href: linkToRoute(['webhooks']),
      rest: 'disabled: it receives no events',
    }),
    itemAbout(clocks?.off.length, {
      noun: 'clock',
      href: linkToRoute(['switches']),
      rest: `off: ${clocks?.off.map(({ name, clock }) => `${name} is ${clock}`).join(', ')}. Let NTP set it`,
    }),
    itemAbout(mails?.length, {
      noun: 'mail',
      href: linkToRoute(['billing']),
      rest: `refused, came back or in doubt: ${mails
        ?.slice(0, 10)
        .map(({ number, answer }) => `${number} (${answer})`)
        .join(', ')}`,
    }),
    ...callItems(calls),
    itemAbout(losses?.services.length, {
      noun: 'service',
      href: linkToRoute(['services']),
      rest: `with a price that is never charged: ${losses?.services.map(({ name }) => name).join(', ')}`,
    }),
    itemAbout(losses?.taxed.length, {
      noun: 'customer',
      href: linkToRoute(['settings'], { setting: 'Payments_With_VAT' }),
      rest: 'with VAT while Payments_With_VAT is off: the VAT in what they pay becomes credit',
      next: losses?.next,
    }),
    itemAbout(overdue?.documents.length, {
      noun: 'invoice',
      href: linkToRoute(['billing'], { status: 'overdue' }),
      rest: `overdue: ${openIn(overdue)}`,
      next: overdue?.next,
    }),
  ].filter((item) => item !== undefined)
  if (items.length === 0) return null
  return (
    <Card title="Needs attention">
      <ul class="attention">{items}</ul>
    </Card>
  )
}

const callItems = ({
  belowCost,
  unpriced,
  unknownCost,
  invalidCallers,
  calls,
}: Omit<NeedsAttentionProps, 'session'>) => [
  itemAbout(belowCost, {
    noun: 'call',
    href: linkToRoute(['calls'], { 'below-cost': 'yes' }),
    rest: 'below cost on these days',
  }),
  itemAbout(unpriced, {
    noun: 'answered call',
    href: linkToRoute(['calls'], { unpriced: 'yes' }),
    rest: 'without a price on these days: no phone number was dialled',
  }),
  itemAbout(unknownCost, {
    noun: 'answered call',
    href: linkToRoute(['calls'], { 'unknown-cost': 'yes' }),
    rest: 'of unknown cost on these days: no provider, or none of its rates, is known',
  }),
  itemAbout(invalidCallers, {
    noun: 'call',
    href: linkToRoute(['reports'], { by: 'origin' }),
    rest: `without a usable number of the caller on these days, ${formatPercent((invalidCallers * 100) / calls)} of all: they pay most where rates go by the caller`,
  }),
]

const openIn = ({ documents = [] }: Partial<DocumentsAnswer> = {}): string =>
  [...Map.groupBy(documents, ({ currency }) => currency)]
    .map(([currency, some]) => formatMoney(add('0', ...some.map(({ open }) => open ?? '0')), currency))
    .join(', ')

interface Waiting {
  readonly noun: string
  readonly href: string
  readonly rest: string
  /** The key of another page: there are more than were counted. */
  readonly next?: string | null | undefined
}

function itemAbout(count: number | undefined, { noun, href, rest, next }: Waiting) {
  if (!count) return undefined
  return (
    <li key={href}>
      <a href={href}>{countOf(count, noun, `${formatCount(count)}${next ? '+' : ''}`)}</a> {rest}
    </li>
  )
}
