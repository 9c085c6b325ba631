import type { CustomerChargesAnswer } from '#lib/api/console/answers/customers.ts'
import { useQuery } from '../api/use-query.ts'
import { Loaded } from '../states/loaded.tsx'
import { WayOut } from '../states/remedy.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

type ChargeRow = CustomerChargesAnswer['charges'][number]

/** The charges of a customer's subscriptions, the newest first, and what comes next. */
export function ChargesCard({ customer }: { readonly customer: number }) {
  const query = useQuery(`/customers/${customer}/charges`)
  return (
    <Card title="Charges of subscriptions">
      <Loaded query={query} what="the charges">
        {({ isOn, charges, next, uncharged }) => (
          <>
            {!isOn && (
              <p class="muted">
                Subscriptions are charged once the setting “Subscriptions from” has a day.{' '}
                <WayOut
                  help={{
                    section: 'settings',
                    values: { setting: 'Charges_From' },
                    text: 'Set Charges_From',
                  }}
                />
              </p>
            )}
            {next.length > 0 && <Charges label="Comes next" rows={next} />}
            {charges.length > 0 && <Charges label="Charged" rows={charges} />}
            {isOn && charges.length + next.length === 0 && <EmptyState title="No charges" />}
            {uncharged.map((sentence) => (
              <p key={sentence} class="muted">
                {sentence}
              </p>
            ))}
          </>
        )}
      </Loaded>
    </Card>
  )
}

const Charges = ({ label, rows }: { readonly label: string; readonly rows: readonly ChargeRow[] }) => (
  <>
    <h3>{label}</h3>
    <Table
      label={label}
      columns={[
        { title: 'Date', text: ({ date }) => date },
        { title: 'Service', text: ({ service }) => service },
        { title: 'From', text: ({ from }) => from },
        { title: 'Till', text: ({ till }) => till },
        { title: 'Quantity', number: ({ quantity }) => quantity },
        { title: 'Net', money: ({ net }) => net },
        { title: 'Currency', text: ({ currency }) => currency },
      ]}
      rows={rows}
    />
  </>
)
