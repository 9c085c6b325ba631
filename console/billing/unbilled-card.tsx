import type { UnbilledAnswer } from '#lib/api/console/answers/month.ts'
import { useQuery } from '../api/use-query.ts'
import { navigate } from '../base/route.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** Changes and subscriptions that no invoice bills. `after` is the key of its page of customers. */
export function UnbilledCard({ after }: { readonly after: string }) {
  const query = useQuery<UnbilledAnswer>('/month/unbilled', { after })
  return (
    <Card title="What no invoice bills">
      <Loaded query={query} what="what no invoice bills" lines={2}>
        {({ customers, currency, next }) => (
          <>
            <Table
              label="What no invoice bills"
              columns={[
                { title: 'Customer', customer: ({ customer }) => customer },
                { title: 'What', text: ({ what }) => what },
                { title: `Calls, ${currency}`, money: ({ calls }) => calls },
                { title: `Charges, ${currency}`, money: ({ charges }) => charges },
              ]}
              rows={customers.flatMap(rowsOf)}
              empty={<Billed after={after} isLast={next === null} />}
            />
            {next !== null && (
              <nav class="pager" aria-label="Pages of what no invoice bills">
                <Button small onClick={() => navigate({ unbilled: next })}>
                  Further customers
                </Button>
              </nav>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** The list goes through the customers by pages, most of which have no rows. */
const Billed = ({ after, isLast }: { readonly after: string; readonly isLast: boolean }) => (
  <EmptyState
    title={after === '' && isLast ? 'No such changes and subscriptions' : 'None of these customers'}
    text="Listed are changes older than Late_Months, and subscriptions that are never charged."
  />
)

interface Unbilled {
  readonly customer: UnbilledAnswer['customers'][number]['customer']
  readonly what: string
  readonly calls?: string
  readonly charges?: string
}

const rowsOf = ({ customer, months, subscriptions }: UnbilledAnswer['customers'][number]): Unbilled[] => [
  ...months.map(({ month, calls, charges }) => ({
    ...{ customer, calls, charges },
    what: `Changes of ${month}, which is older than Late_Months`,
  })),
  ...subscriptions.map((what) => ({ customer, what })),
]
