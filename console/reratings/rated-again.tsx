import { subtract } from '#lib/base/money.ts'
import { formatCount } from '../base/format.ts'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { type FoundRatings, type Rating, sumOfPages } from './use-rating.ts'

interface RatedAgainProps {
  readonly rating: Rating
  readonly found: FoundRatings
  readonly currency: string
}

/** How far a re-rating has come, what it changes for whom, and the buttons that go on. */
export function RatedAgain({ rating, found, currency }: RatedAgainProps) {
  const all = sumOfPages(found.customers)
  const isWhole = found.next === null
  return (
    <Card title={found.isChanged ? 'Changed calls' : 'Dry run: nothing is changed yet'}>
      <div class="stack">
        <Progress found={found} />
        <div class="cluster">
          {rating.isUnderWay && <Button onClick={rating.stop}>Stop after this page</Button>}
          {!(isWhole || rating.isUnderWay) && (
            <Button kind="primary" onClick={rating.goOn}>
              Go on
            </Button>
          )}
          {isWhole && !found.isChanged && all.calls > 0 && !rating.isUnderWay && (
            <Button kind="danger" onClick={rating.change}>
              {`Change these calls (${formatCount(all.calls)})`}
            </Button>
          )}
        </div>
        {isWhole && found.isChanged && (
          <Notice tone="good" title={`Done. Calls changed: ${formatCount(all.calls)}.`}>
            <p>Balances and sums have changed with them. Invoices have not.</p>
          </Notice>
        )}
      </div>
      {all.calls === 0 ? (
        <EmptyState title="No call gets another price" />
      ) : (
        <Table
          label="Prices before and after, by customer"
          columns={[
            { title: 'Customer', text: ({ customer }) => customer.name },
            { title: 'Calls', number: ({ calls }) => calls },
            { title: `Before, ${currency}`, number: ({ prices: [user] }) => user?.before },
            { title: `After, ${currency}`, number: ({ prices: [user] }) => user?.after },
            { title: `Difference, ${currency}`, number: ({ prices: [user] }) => differenceOf(user) },
            {
              title: `Difference of the cost, ${currency}`,
              number: ({ prices: [, , provider] }) => differenceOf(provider),
              rank: 2,
            },
          ]}
          rows={found.customers}
          total={{ customer: { id: 0, name: 'Total' }, ...all }}
        />
      )}
    </Card>
  )
}

const differenceOf = (price: { readonly before: string; readonly after: string } | undefined): string =>
  price ? subtract(price.after, price.before) : ''

function Progress({ found: { calls, total, same, oldest, skipped } }: { readonly found: FoundRatings }) {
  const all = Math.max(total ?? 0, calls)
  return (
    <>
      <label>
        {`${formatCount(calls)} of ${formatCount(all)} calls rated. Unchanged: ${formatCount(same)}.`}
        <progress value={calls} max={Math.max(1, all)} />
      </label>
      {oldest > 0 && (
        <p class="muted">
          {`Prices by the oldest kept version of a tariff, because that of the call's start is gone: ${formatCount(oldest)}.`}
        </p>
      )}
      {skipped.length > 0 && (
        <p class="muted">
          {`Left as they are: ${skipped.map((one) => `${formatCount(one.calls)} ${REASONS[one.reason] ?? one.reason}`).join(', ')}.`}
        </p>
      )}
    </>
  )
}

/** Why calls are left as they are. */
const REASONS: Readonly<Record<string, string>> = {
  invoiced: 'invoiced',
  came_priced: 'that came with their price',
  unknown_rate: 'without a rate',
  ambiguous_number: 'to an unknown number',
  unreadable: 'without a number',
  blocked_destination: 'to a blocked prefix',
  short_number: 'to a short number',
  feature_code: 'to a feature code',
}
