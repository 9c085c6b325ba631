import type { CustomerLogAnswer } from '#lib/api/console/answers/customers.ts'
import { useReading } from '../api/use-reading.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function LogTab({ customer }: { readonly customer: number }) {
  const reading = useReading<CustomerLogAnswer>(`/customers/${customer}/log`)
  return (
    <Card title="Log">
      <Loaded reading={reading} what="the log">
        {({ log, readFrom }) => (
          <>
            <Table
              empty={
                <EmptyState
                  title="No entries"
                  text="A block, a new key or a password that an operator sets is noted here."
                />
              }
              label="Log of the account"
              columns={[
                { title: 'Time', text: ({ at }) => at },
                { title: 'Who', text: ({ who }) => who },
                { title: 'Change', text: ({ change }) => change },
              ]}
              rows={log}
            />
            {readFrom !== null && (
              <p class="muted">{`Entries from ${readFrom} on; earlier ones are in the log of the settings.`}</p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
