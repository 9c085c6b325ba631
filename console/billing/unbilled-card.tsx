import type { UnbilledAnswer } from '#lib/api/console/answers/month.ts'
import { useReading } from '../api/use-reading.ts'
import { BLANK, formatAmount } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { goWith } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'

/** Changes and subscriptions that no invoice bills. `after` is the key of its page of customers. */
export function UnbilledCard({ after }: { readonly after: string }) {
  const reading = useReading<UnbilledAnswer>('/month/unbilled', { after })
  return (
    <Card title="What no invoice bills">
      <Loaded reading={reading} what="what no invoice bills" lines={2}>
        {({ customers, currency, next }) => (
          <>
            <Table
              label="What no invoice bills"
              columns={COLUMNS}
              rows={customers.flatMap((one) => rowsOf(one, currency))}
              empty={<p class="muted">Nothing of these customers.</p>}
            />
            {next !== null && (
              <nav class="pager" aria-label="Pages of what no invoice bills">
                <Button small onClick={() => goWith({ unbilled: next })}>
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

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'customer',
    title: 'Customer',
    show: ({ customer = '', customerId = '' }) => <CustomerLink id={customerId} name={customer} />,
  },
  { key: 'what', title: 'What' },
  { key: 'calls', title: 'Calls', isNumber: true },
  { key: 'charges', title: 'Charges', isNumber: true },
]

function rowsOf({ customer, months, subscriptions }: UnbilledAnswer['customers'][number], currency: string) {
  const of = { customer: customer.name, customerId: String(customer.id) }
  return [
    ...months.map(({ month, calls, charges }) => ({
      ...of,
      what: `Changes of ${month}, which is older than Late_Months`,
      calls: `${formatAmount(calls)} ${currency}`,
      charges: `${formatAmount(charges)} ${currency}`,
    })),
    ...subscriptions.map((what) => ({ ...of, what, calls: BLANK, charges: BLANK })),
  ]
}
