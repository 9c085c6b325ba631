import { useState } from 'preact/hooks'
import type { CustomersAnswer } from '#lib/api/console/answers/customers.ts'
import { useReading } from '../api/use-reading.ts'
import { dash, formatCount } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import type { PartProps } from '../part.ts'
import { goWith } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { CustomerPage } from './customer-page.tsx'

/** The list of customers, or one of them. */
export const Customers = (props: PartProps) =>
  props.place.method === '' ? (
    <CustomerList {...props} />
  ) : (
    <CustomerPage key={props.place.method} {...props} />
  )

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'name',
    title: 'Name',
    isNumber: false,
    show: ({ name = '', id = '' }) => <CustomerLink id={id} name={name} />,
  },
  { key: 'username', title: 'Username', isNumber: false },
  { key: 'type', title: 'Type' },
  { key: 'owner', title: 'Owner' },
  { key: 'tariff', title: 'Tariff' },
  { key: 'devices', title: 'Devices' },
  { key: 'status', title: 'Status', show: ({ status = '' }) => <StatusBadge status={status} /> },
]

const StatusBadge = ({ status }: { readonly status: string }) => (
  <Badge tone={status === 'Blocked' ? 'bad' : 'good'} text={status} />
)

function CustomerList({ place }: PartProps) {
  const { search = '', after = '' } = place.values
  const [wanted, setWanted] = useState(search)
  const reading = useReading<CustomersAnswer>('/customers', { search, after })
  const submit = (event: Event) => {
    event.preventDefault()
    goWith({ search: wanted.trim(), after: '' })
  }
  return (
    <div class="stack">
      <PageHeader title="Customers" />
      <form class="line-form" onSubmit={submit}>
        <Field
          label="Search"
          type="search"
          value={wanted}
          onInput={setWanted}
          hint="The beginning of a name, an id, or the name or extension of a device."
        />
        <Button submits>Find</Button>
      </form>
      <Card title={search === '' ? 'All customers' : `Customers found by “${search}”`}>
        <Loaded reading={reading} what="the customers" lines={8}>
          {(answer) => <Listed answer={answer} search={search} after={after} />}
        </Loaded>
      </Card>
    </div>
  )
}

interface ListedProps {
  readonly answer: CustomersAnswer
  readonly search: string
  readonly after: string
}

const Listed = ({ answer: { customers, next }, search, after }: ListedProps) =>
  customers.length === 0 ? (
    <EmptyState
      title={search === '' ? 'There are no customers yet' : `Nobody is found by “${search}”`}
      text={
        search === '' ? 'Import users.csv with: npx tollgate import' : 'Try the beginning of another name.'
      }
    />
  ) : (
    <>
      <Table
        label="Customers"
        columns={COLUMNS}
        rows={customers.map(({ id, name, username, type, owner, tariff, devices, blocked }) => ({
          id: String(id),
          name,
          username,
          type,
          owner: dash(owner?.name),
          tariff: dash(tariff?.name),
          devices: formatCount(devices),
          status: blocked ? 'Blocked' : 'Active',
        }))}
      />
      <PageLinks after={after} next={next} />
    </>
  )
