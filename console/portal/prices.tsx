import { useState } from 'preact/hooks'
import type { PriceAnswer, PriceStep } from '#lib/api/console/answers/calls.ts'
import type { OwnRate, OwnRatesAnswer } from '#lib/api/console/answers/own-page.ts'
import { add } from '#lib/base/money.ts'
import { useReading } from '../api/use-reading.ts'
import { decimalsIn } from '../format.ts'
import { goWith, type Place } from '../place.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { OwnField, OwnForm } from './fields.tsx'
import { type Own, useOwn } from './own.ts'
import { type OwnColumn, OwnList, OwnReading, usePages } from './rows.tsx'

const rowsOf = ({ rates }: OwnRatesAnswer) => rates

/** What a number costs, and the whole price list. */
export function OwnPrices({ place: { values } }: { readonly place: Place }) {
  const own = useOwn()
  const { t } = own
  const { number = '', search = '' } = values
  const pages = usePages<OwnRate, OwnRatesAnswer>('/own/rates', { search }, rowsOf)
  const currency = pages.answer?.currency ?? own.session.currency
  return (
    <div class="stack">
      <PageHeader title={t('prices')} text={t('withoutVat')} />
      <Card title={t('whatCosts')}>
        <Ask key={number} number={number} />
        {number && <Answer number={number} />}
      </Card>
      <Card title={t('priceList')}>
        <Search key={search} search={search} />
        <OwnList
          label={t('priceList')}
          pages={pages}
          empty={t('noRates')}
          columns={columnsOf(own, { rates: pages.rows, currency })}
        />
      </Card>
    </div>
  )
}

function Ask(props: { readonly number: string }) {
  const { t } = useOwn()
  const [number, setNumber] = useState(props.number)
  return (
    <OwnForm label={t('whatCosts')} onSubmit={() => goWith({ number: number.trim() })}>
      <OwnField
        label={t('number')}
        type="tel"
        required
        hint={t('numberHint')}
        value={number}
        onInput={setNumber}
      />
      <Button kind="primary" submits>
        {t('ask')}
      </Button>
    </OwnForm>
  )
}

function Answer({ number }: { readonly number: string }) {
  const { t } = useOwn()
  const reading = useReading<PriceAnswer>('/prices', { number })
  return (
    <div role="status">
      <OwnReading reading={reading}>
        {({ rating: { free, problem, steps } }) => {
          const [step] = steps
          if (free !== null) return <strong>{t('freeCall')}</strong>
          if (problem !== null || !step?.rate) return <strong>{t('noPrice')}</strong>
          return <Priced step={step} rate={step.rate} />
        }}
      </OwnReading>
    </div>
  )
}

function Priced({ step, rate }: { readonly step: PriceStep; readonly rate: NonNullable<PriceStep['rate']> }) {
  const own = useOwn()
  const { t, amount, session } = own
  const decimals = decimalsFor([rate.perMinute, rate.fee, step.price ?? '0'])
  const price = (one: string | null, currency = session.currency) => `${amount(one, decimals)} ${currency}`
  return (
    <Facts
      facts={[
        [t('destination'), `${rate.destination} (${rate.prefix})`],
        [t('perMinute'), price(rate.perMinute, rate.currency)],
        [t('fee'), price(rate.fee, rate.currency)],
        [t('billing'), stepsText(own, rate)],
        [t('oneMinute'), price(step.price)],
      ]}
    />
  )
}

const stepsText = (
  { t }: Own,
  { increment, minimum }: { readonly increment: number; readonly minimum: number },
): string =>
  minimum > increment
    ? t('stepsFrom', { increment: String(increment), minimum: String(minimum) })
    : t('seconds', { seconds: String(increment) })

function Search(props: { readonly search: string }) {
  const { t } = useOwn()
  const [search, setSearch] = useState(props.search)
  return (
    <OwnForm label={t('priceList')} onSubmit={() => goWith({ search: search.trim() })}>
      <OwnField label={t('searchRates')} type="search" value={search} onInput={setSearch} />
      <Button submits icon="search">
        {t('search')}
      </Button>
    </OwnForm>
  )
}

interface Listed {
  readonly rates: readonly OwnRate[]
  readonly currency: string
}

/** Two at least. */
const decimalsFor = (prices: readonly string[]): number =>
  Math.max(2, decimalsIn(prices.map((price) => add(price))))

const columnsOf = (own: Own, { rates, currency }: Listed): readonly OwnColumn<OwnRate>[] => {
  const { t, amount } = own
  const decimals = decimalsFor(rates.flatMap(({ perMinute, fee }) => [perMinute, fee]))
  return [
    { title: t('destination'), cell: ({ destination }) => destination },
    { title: t('prefix'), cell: ({ prefix }) => prefix },
    { title: t('when'), cell: (rate) => whenText(own, rate) },
    { title: t('billing'), cell: (rate) => stepsText(own, rate) },
    ...(rates.some(({ fee }) => Number(fee) > 0)
      ? [
          {
            title: `${t('fee')}, ${currency}`,
            cell: ({ fee }: OwnRate) => amount(fee, decimals),
            isNumber: true,
          },
        ]
      : []),
    {
      title: `${t('perMinute')}, ${currency}`,
      cell: ({ isBlocked, perMinute }) => (isBlocked ? t('blocked') : amount(perMinute, decimals)),
      isNumber: true,
    },
  ]
}

const DAYS = { everyday: 'everyday', weekday: 'weekday', weekend: 'weekend' } as const

/** The days and hours of a rate, and since or until when it is in force. */
function whenText({ t, time }: Own, { days, from, till, since, until }: OwnRate): string {
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
