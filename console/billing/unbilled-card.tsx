import type { UnbilledAnswer } from '#lib/api/console/answers/billing.ts'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/**
 * Customers without a tariff, or whose documents cannot be written as they want them, and changes and
 * subscriptions that no invoice bills. `after` is the key of its page of customers.
 */
export function UnbilledCard({ after }: { readonly after: string }) {
  const query = useQuery('/month/unbilled', { after })
  return (
    <Card title="Customers to look at">
      <Loaded query={query} what="what no invoice bills" lines={2}>
        {({ customers, currency, next }) => (
          <>
            <Table
              label="Customers to look at"
              columns={[
                { title: 'Customer', customer: ({ customer }) => customer },
                { title: 'Problem', text: ({ what }) => what },
                { title: `Calls, ${currency}`, money: ({ calls }) => calls },
                { title: `Charges, ${currency}`, money: ({ charges }) => charges },
              ]}
              rows={customers.flatMap(rowsOf)}
              actions={({ cure: [text, href] }) => (
                <a class="button small" href={href}>
                  {text}
                </a>
              )}
              empty={<Billed after={after} isLast={next === null} />}
            />
            {next !== null && (
              <nav class="pager" aria-label="Pages of customers to look at">
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
    title={after === '' && isLast ? 'Every customer is in order' : 'These customers are in order'}
    text="Each has a tariff, the facts that the form of its documents needs, no subscription that is never charged, and no changes older than Late_Months."
  />
)

interface Unbilled {
  readonly customer: UnbilledAnswer['customers'][number]['customer']
  readonly what: string
  /** The link to its cure. */
  readonly cure: readonly [text: string, href: string]
  readonly calls?: string
  readonly charges?: string
}

const openedBy = ({ id }: Unbilled['customer']) =>
  ['Open the customer', linkToRoute(['customers', id])] as const

const rowsOf = ({
  customer,
  hasTariff,
  unfit,
  months,
  subscriptions,
}: UnbilledAnswer['customers'][number]): Unbilled[] => [
  ...months.map(({ month, calls, charges }) => ({
    ...{ customer, calls, charges },
    what: `Changes of ${month}, which is older than Late_Months`,
    cure: ['Set Late_Months', linkToRoute(['settings'], { setting: 'Late_Months' })] as const,
  })),
  ...(hasTariff
    ? []
    : [{ customer, what: 'It has no tariff: its calls have no price', cure: openedBy(customer) }]),
  ...(unfit === null ? [] : [{ customer, what: unfit, cure: openedBy(customer) }]),
  ...subscriptions.map((what) => ({
    ...{ customer, what },
    cure: ['Services', linkToRoute(['services'])] as const,
  })),
]
