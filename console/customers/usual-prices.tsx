import type { UsualPricesAnswer } from '#lib/api/console/answers/tariffs.ts'
import { useReading } from '../api/use-reading.ts'
import { BLANK, decimalsIn, formatFixed } from '../format.ts'
import { linkToPlace } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** What a customer asks for on the telephone: the price of what it calls. */
export function UsualPrices({ customer }: { readonly customer: number }) {
  const reading = useReading<UsualPricesAnswer>(`/customers/${customer}/prices`)
  return (
    <Card
      title="Prices of ten destinations"
      beside={<a href={linkToPlace(['customers', customer, 'tariff'])}>Another number</a>}
    >
      <Loaded reading={reading} what="the prices">
        {(answer) => <Prices {...answer} />}
      </Loaded>
    </Card>
  )
}

function Prices({ currency, rates }: UsualPricesAnswer) {
  const decimals = decimalsIn(rates.map(({ perMinute }) => perMinute))
  const hasFees = rates.some(({ fee }) => Number(fee) !== 0)
  const feeDecimals = decimalsIn(rates.map(({ fee }) => fee))
  return (
    <Table
      label="Prices"
      empty={
        <EmptyState title="No prices" text="The tariff of this customer has no rates, or it has no tariff." />
      }
      columns={[
        { key: 'destination', title: 'Destination' },
        { key: 'prefix', title: 'Prefix', isNumber: false },
        { key: 'calls', title: 'Of its last calls', isNumber: true, rank: 2 },
        { key: 'steps', title: 'Billed in, s', isNumber: false, rank: 3 },
        ...(hasFees ? [{ key: 'fee', title: `Connection, ${currency}`, isNumber: true }] : []),
        { key: 'perMinute', title: `A minute, ${currency}`, isNumber: true },
      ]}
      rows={rates.map(({ destination, prefix, perMinute, fee, isBlocked, increment, minimum, calls }) => ({
        ...{ destination, prefix },
        perMinute: isBlocked ? 'blocked' : formatFixed(perMinute, decimals),
        fee: isBlocked ? BLANK : formatFixed(fee, feeDecimals),
        steps: `${Math.max(minimum, increment)}/${increment}`,
        calls: calls === 0 ? BLANK : String(calls),
      }))}
    />
  )
}
