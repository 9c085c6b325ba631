import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import type { CustomerRow, CustomersAnswer } from '#lib/api/console/answers/customers.ts'
import { profitOfKnown } from '#lib/calls/counters/earnings.ts'
import { answerPages } from '../api/use-pages.ts'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import { isOperator, type SectionProps } from '../base/section.ts'
import { ActionForm } from '../fields/action.tsx'
import { CustomerLink } from '../links/customer-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { RangeChoice } from '../links/range-choice.tsx'
import { useCustomerTraffic } from '../overview/customer-traffic.ts'
import { LeftOut } from '../overview/left-out.tsx'
import { RecordPanel } from '../records/record-panel.tsx'
import { CsvButton } from '../states/csv-button.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { CustomerPage } from './customer-page.tsx'

export const Customers = (props: SectionProps) =>
  props.route.id === '' ? <CustomerList {...props} /> : <CustomerPage key={props.route.id} {...props} />

const SEARCH = [
  {
    name: 'search',
    label: 'Search',
    type: 'search',
    hint: 'A name, a company, an id or a device.',
  },
] as const

/** Balances are shown while they are kept, revenue and margin to the operator. */
function CustomerList({ route, session, range }: SectionProps) {
  const { search = '', after = '' } = route.values
  const query = useQuery('/customers', { search, after })
  const traffic = useCustomerTraffic(session, range)
  return (
    <div class="stack">
      <PageHeader title="Customers">
        {isOperator(session) && <RangeChoice range={range} />}
        {session.actions.includes('imports') && (
          <Button
            icon="upload"
            onClick={() => {
              location.hash = linkToRoute(['imports'], { of: 'users' })
            }}
          >
            Import a file
          </Button>
        )}
        {session.type !== 'accountant' && (
          <Button opens kind="primary" icon="plus" onClick={() => navigate({ add: 'yes' })}>
            Add a customer
          </Button>
        )}
      </PageHeader>
      {route.values['add'] && (
        <RecordPanel
          kind="accounts"
          onClose={() => navigate({ add: '' })}
          onDone={(id = '') => {
            location.hash = linkToRoute(['customers', id])
          }}
        />
      )}
      <ActionForm
        isLine
        text="Find"
        kind="secondary"
        fields={SEARCH}
        initial={{ search }}
        run={async (_once, values) => navigate({ search: values['search']?.trim() ?? '', after: '' })}
      />
      <Card
        title={search === '' ? 'All customers' : `Customers found by “${search}”`}
        beside={<CsvButton name="customers" heading={HEADING} pages={() => linesOf(search)} />}
      >
        <Loaded query={query} what="the customers" lines={8}>
          {(answer) => (
            <Listed
              answer={answer}
              traffic={traffic.value}
              currency={session.currency}
              search={search}
              after={after}
            />
          )}
        </Loaded>
      </Card>
      <LeftOut traffic={traffic.value} />
    </div>
  )
}

const HEADING = ['id', 'username', 'name', 'type', 'owner', 'tariff', 'currency', 'balance', 'blocked']

async function* linesOf(search: string) {
  for await (const { customers } of answerPages('/customers', { search }))
    yield customers.map(({ id, username, name, type, owner, tariff, currency, balance, blocked }) => [
      ...[String(id), username, name, type, owner?.name ?? '', tariff?.name ?? ''],
      ...[currency, balance ?? '', blocked ? 'yes' : 'no'],
    ])
}

interface ListedProps {
  readonly answer: CustomersAnswer
  readonly traffic: TrafficAnswer | undefined
  readonly currency: string
  readonly search: string
  readonly after: string
}

const Listed = ({ answer: { customers, next }, traffic, currency, search, after }: ListedProps) =>
  customers.length === 0 && next === null ? (
    <EmptyList
      title="There are no customers yet"
      text="Add the first one above, or import users.csv."
      narrowedBy={{ search, after }}
    />
  ) : (
    <>
      {customers.length === 0 ? (
        <EmptyState title="No matches so far" text="The search continues on the next page." />
      ) : (
        <CustomerTable customers={customers} traffic={traffic} currency={currency} />
      )}
      <PageLinks after={after} next={next} />
    </>
  )

interface CustomerTableProps {
  readonly customers: CustomersAnswer['customers']
  readonly traffic: TrafficAnswer | undefined
  readonly currency: string
}

/** Columns that a session may not see are left out. The first amount names the currency of all of them. */
function CustomerTable({ customers, traffic, currency }: CustomerTableProps) {
  const hasBalances = customers.some(({ balance }) => balance !== null)
  const balance: TypedColumn<CustomerRow> = {
    title: `Balance, ${currency}`,
    money: (one) => one.balance,
    onPhone: 'first',
  }
  const earned = (id: number) => traffic?.groups.find((group) => group.id === id)
  const earnings: TypedColumn<CustomerRow>[] = [
    { title: hasBalances ? 'Revenue' : `Revenue, ${currency}`, money: ({ id }) => earned(id)?.revenue },
    { title: 'Margin', money: ({ id }) => marginOf(earned(id)) },
  ]
  return (
    <Table
      label="Customers"
      columns={[
        {
          title: 'Name',
          text: ({ name }) => name,
          show: ({ id, name, username }) => (
            <>
              <CustomerLink id={id} name={name} /> <span class="muted">{username}</span>
            </>
          ),
        },
        { title: 'Type', text: ({ type }) => type, rank: 3 },
        { title: 'Owner', text: ({ owner }) => owner?.name, rank: 3 },
        { title: 'Tariff', text: ({ tariff }) => tariff?.name, rank: 3 },
        ...(hasBalances ? [balance] : []),
        ...(traffic ? earnings : []),
        { title: 'Status', state: ({ blocked }) => (blocked ? ['Blocked', 'bad'] : ['Active', 'neutral']) },
      ]}
      rows={customers}
    />
  )
}

/** The traffic answer has the hundred largest customers. */
const marginOf = (group: TrafficAnswer['groups'][number] | undefined) => group && profitOfKnown(group)
