import type { PriceStep } from '#lib/api/console/answers/calls.ts'
import type { PortalRate } from '#lib/api/console/answers/portal.ts'
import { add } from '#lib/base/money.ts'
import { usePages } from '../api/use-pages.ts'
import { useQuery } from '../api/use-query.ts'
import { decimalsIn } from '../base/format.ts'
import { navigate, type PageRoute } from '../base/route.ts'
import { ActionForm } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type PortalSession, usePortal } from './portal-session.ts'
import { PortalList } from './rows.tsx'

/** The price of a number, and the whole price list. */
export function PortalPrices({ route: { values } }: { readonly route: PageRoute }) {
  const portal = usePortal()
  const { t } = portal
  const { number = '', search = '' } = values
  const query = usePages('/own/rates', { search })
  const rates = query.pages.flatMap((page) => page.rates)
  const currency = query.pages[0]?.currency ?? portal.session.currency
  return (
    <div class="stack">
      <PageHeader title={t('prices')} text={t('withoutVat')} />
      <Card title={t('whatCosts')}>
        <ActionForm
          isLine
          key={number}
          label={t('whatCosts')}
          text={t('ask')}
          initial={{ number }}
          fields={[{ name: 'number', label: t('number'), type: 'tel', hint: t('numberHint') }]}
          run={async (_once, values) => navigate({ number: values['number']?.trim() ?? '' })}
        />
        {number && <Answer number={number} />}
      </Card>
      <Card title={t('priceList')}>
        <ActionForm
          isLine
          key={search}
          label={t('priceList')}
          text={t('search')}
          kind="secondary"
          initial={{ search }}
          fields={[{ name: 'search', label: t('searchRates'), type: 'search' }]}
          run={async (_once, values) => navigate({ search: values['search']?.trim() ?? '' })}
        />
        <PortalList
          label={t('priceList')}
          query={query}
          rowsOf={(page) => page.rates}
          empty={search === '' ? t('noRates') : t('noneFound', { wanted: search })}
          columns={columnsOf(portal, rates, currency)}
        />
      </Card>
    </div>
  )
}

function Answer({ number }: { readonly number: string }) {
  const { t } = usePortal()
  const query = useQuery('/prices', { number })
  return (
    <div role="status">
      <Loaded query={query}>
        {({ rating: { free, problem, steps } }) => {
          const [step] = steps
          if (free !== null) return <strong>{t('freeCall')}</strong>
          if (problem !== null || !step?.rate) return <strong>{t('noPrice')}</strong>
          return <Priced step={step} rate={step.rate} />
        }}
      </Loaded>
    </div>
  )
}

function Priced({ step, rate }: { readonly step: PriceStep; readonly rate: NonNullable<PriceStep['rate']> }) {
  const portal = usePortal()
  const { t, amount, session } = portal
  const decimals = decimalsFor([rate.perMinute, rate.fee, step.price ?? '0'])
  const price = (one: string | null, currency = session.currency) => `${amount(one, decimals)} ${currency}`
  return (
    <Facts
      facts={[
        [t('destination'), `${rate.destination} (${rate.prefix})`],
        [t('perMinute'), price(rate.perMinute, rate.currency)],
        [t('fee'), price(rate.fee, rate.currency)],
        [t('billing'), stepsText(portal, rate)],
        [t('oneMinute'), price(step.price)],
      ]}
    />
  )
}

const stepsText = (
  { t }: PortalSession,
  { increment, minimum }: { readonly increment: number; readonly minimum: number },
): string =>
  minimum > increment
    ? t('stepsFrom', { increment: String(increment), minimum: String(minimum) })
    : t('seconds', { seconds: String(increment) })

/** Two at least. */
const decimalsFor = (prices: readonly string[]): number =>
  Math.max(2, decimalsIn(prices.map((price) => add(price))))

function columnsOf(
  portal: PortalSession,
  rates: readonly PortalRate[],
  currency: string,
): readonly TypedColumn<PortalRate>[] {
  const { t, amount } = portal
  const decimals = decimalsFor(rates.flatMap(({ perMinute, fee }) => [perMinute, fee]))
  const fee: TypedColumn<PortalRate> = {
    title: `${t('fee')}, ${currency}`,
    number: (rate) => amount(rate.fee, decimals),
  }
  return [
    { title: t('destination'), text: ({ destination }) => destination },
    { title: t('prefix'), text: ({ prefix }) => prefix },
    { title: t('when'), text: (rate) => whenText(portal, rate) },
    { title: t('billing'), text: (rate) => stepsText(portal, rate) },
    ...(rates.some((rate) => Number(rate.fee) > 0) ? [fee] : []),
    {
      title: `${t('perMinute')}, ${currency}`,
      onPhone: 'first',
      number: ({ isBlocked, perMinute }) => (isBlocked ? t('blocked') : amount(perMinute, decimals)),
    },
  ]
}

const DAYS = { everyday: 'everyday', weekday: 'weekday', weekend: 'weekend' } as const

/** The days and hours of a rate, and since or until when it is in force. */
function whenText({ t, time }: PortalSession, { days, from, till, since, until }: PortalRate): string {
  const isWholeDay = from === '00:00:00' && till === '23:59:59'
  const hours = isWholeDay
    ? t(DAYS[days])
    : t('hours', { days: t(DAYS[days]), from: from.slice(0, 5), till: till.slice(0, 5) })
  return [
    hours,
    ...(since === null ? [] : [t('since', { time: time(since) })]),
    ...(until === null ? [] : [t('until', { time: time(until) })]),
  ].join(', ')
}
