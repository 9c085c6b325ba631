import { useId, useState } from 'preact/hooks'
import type { CustomerAnswer } from '#lib/api/console/answers/customers.ts'
import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { act } from '../api/console-api.ts'
import { useReading } from '../api/use-reading.ts'
import { Documents } from '../billing/documents.tsx'
import { CallList } from '../calls/call-list.tsx'
import { BLANK, dash, formatAmount, formatMoney } from '../format.ts'
import { RangeChoice } from '../links/range-choice.tsx'
import { DayChart } from '../overview/day-chart.tsx'
import { TILES } from '../overview/figures.ts'
import type { PartProps } from '../part.ts'
import { linkToPlace } from '../place.ts'
import { ActionButton } from '../states/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table } from '../tables/table.tsx'
import { PriceLookup } from '../tariffs/price-lookup.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { useToast } from '../ui/toast.tsx'
import { ChargesCard } from './charges-card.tsx'
import { DevicesTab } from './devices-tab.tsx'
import { LogTab } from './log-tab.tsx'

const TABS = [
  ['summary', 'Summary'],
  ['calls', 'Calls'],
  ['devices', 'Devices'],
  ['billing', 'Billing'],
  ['tariff', 'Tariff'],
  ['log', 'Log'],
] as const

type Tab = (typeof TABS)[number][0]

/** The tabs that the chosen days govern. */
const RANGED: ReadonlySet<Tab> = new Set(['summary', 'calls'])

/** A customer, with everything about it in tabs. Each tab has an address. */
export function CustomerPage(props: PartProps) {
  const id = props.place.method
  const reading = useReading<CustomerAnswer>(`/customers/${encodeURIComponent(id)}`)
  return (
    <div class="stack">
      {!reading.value && <PageHeader title={`Customer ${id}`} />}
      <Loaded reading={reading} what="the customer" lines={8}>
        {(answer) => <Details {...props} answer={answer} onChanged={reading.again} />}
      </Loaded>
    </div>
  )
}

interface DetailsProps extends PartProps {
  readonly answer: CustomerAnswer
  readonly onChanged: () => void
}

function Details(props: DetailsProps) {
  const { place, range, answer, onChanged } = props
  const { customer, mayBlock } = answer
  const id = useId()
  const tabs = TABS.filter(([name]) => name !== 'log' || props.session.parts.includes('customers'))
  const tab = tabs.find(([name]) => name === place.section)?.[0] ?? 'summary'
  const open = (name: Tab) => {
    location.hash = linkToPlace(['customers', customer.id, name])
  }
  return (
    <>
      <PageHeader
        title={customer.name}
        text={
          <>
            {`${customer.username} · ${customer.type} · id ${customer.id} `}
            {customer.blocked && <Badge tone="bad" text="Blocked" />}
          </>
        }
      >
        {RANGED.has(tab) && <RangeChoice range={range} />}
        {mayBlock && <BlockButton customer={customer} onChanged={onChanged} />}
      </PageHeader>
      <TabList id={id} label="About the customer" tabs={tabs} value={tab} onChange={open} />
      <TabPanel id={id} value={tab}>
        <TabContent {...props} tab={tab} />
      </TabPanel>
    </>
  )
}

function TabContent({ tab, answer, range, session, place, onChanged }: DetailsProps & { readonly tab: Tab }) {
  const { customer } = answer
  if (tab === 'calls')
    return <CallList place={place} session={session} range={range} customer={customer.id} />
  if (tab === 'devices') return <DevicesTab session={session} answer={answer} onChanged={onChanged} />
  if (tab === 'billing')
    return (
      <>
        <Documents place={place} session={session} customer={customer.id} />
        {answer.receivables && <ChargesCard customer={customer.id} />}
      </>
    )
  if (tab === 'tariff')
    return (
      <>
        <Card title="Tariff">
          {customer.tariff ? (
            <TariffLink answer={answer} />
          ) : (
            <EmptyState title="This customer has no tariff" />
          )}
        </Card>
        <PriceLookup customer={customer.id} />
      </>
    )
  if (tab === 'log') return <LogTab customer={customer.id} />
  return <Summary answer={answer} range={range} session={session} />
}

const TariffLink = ({ answer: { customer } }: Pick<DetailsProps, 'answer'>) => (
  <p>
    Calls are priced by{' '}
    <a href={linkToPlace(['tariffs', customer.tariff?.id ?? ''])}>{customer.tariff?.name}</a>.
  </p>
)

function Summary({
  answer,
  range,
  session: { currency, today },
}: Pick<DetailsProps, 'answer' | 'range' | 'session'>) {
  const { customer, agreement, clientId } = answer
  const reading = useReading<TrafficAnswer>('/traffic', {
    from: range.from,
    till: range.till,
    customer: customer.id,
  })
  const [attempts] = TILES
  return (
    <>
      <Card title="Account">
        <Facts
          facts={[
            ['Owner', dash(customer.owner?.name)],
            ['Tariff', dash(customer.tariff?.name)],
            ['Balance, net', customer.balance === null ? BLANK : formatMoney(customer.balance, currency)],
            ['Devices', String(answer.deviceCount)],
            ['Agreement', dash(agreement)],
            ['Client id', dash(clientId)],
          ]}
        />
      </Card>
      {answer.receivables && (
        <Receivables receivables={answer.receivables} newest={answer.receivablesOfNewest} />
      )}
      <Card title="Attempts by day">
        <Loaded reading={reading} what="the traffic" block>
          {(traffic) => (attempts ? <DayChart measure={attempts} traffic={traffic} today={today} /> : null)}
        </Loaded>
      </Card>
    </>
  )
}

/** A balance and what is open of invoices differ: each says what it counts. */
const Receivables = ({
  receivables,
  newest,
}: {
  readonly receivables: NonNullable<CustomerAnswer['receivables']>
  readonly newest: number | null
}) => (
  <Card title="Documents by currency">
    <p class="muted">
      The open amount is that of the invoices, less the payments and credit notes that name them. The balance
      counts calls, fees, payments and adjustments, invoiced or not.
    </p>
    {newest !== null && (
      <p>
        The newest {newest} invoices, credit notes and payments each. The operator's report receivables has
        all.
      </p>
    )}
    <Table
      empty={
        <EmptyState
          title="No documents yet"
          text="An invoice is open until payments or credit notes that name it equal it."
        />
      }
      label="Documents by currency"
      columns={[
        { key: 'currency', title: 'Currency' },
        { key: 'invoiced', title: 'Invoiced', isNumber: true },
        { key: 'credited', title: 'Credited', isNumber: true },
        { key: 'paid', title: 'Paid', isNumber: true },
        { key: 'open', title: 'Open invoices, with VAT', isNumber: true },
      ]}
      rows={receivables.map(({ currency, invoiced, credited, paid, open }) => ({
        currency,
        invoiced: formatAmount(invoiced),
        credited: formatAmount(credited),
        paid: formatAmount(paid),
        open: formatAmount(open),
      }))}
    />
  </Card>
)

interface BlockButtonProps {
  readonly customer: CustomerAnswer['customer']
  readonly onChanged: () => void
}

/** Blocking asks first, and says what it does. */
function BlockButton({ customer: { id, name, blocked }, onChanged }: BlockButtonProps) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const verb = blocked ? 'Unblock' : 'Block'
  const change = async () => {
    await act('POST', `/customers/${id}/${verb.toLowerCase()}`)
    setOpen(false)
    tell(`${name} is ${blocked ? 'active again' : 'blocked'}.`)
    onChanged()
  }
  return (
    <>
      <Button kind={blocked ? 'secondary' : 'danger'} onClick={() => setOpen(true)}>
        {verb}
      </Button>
      {isOpen && (
        <SidePanel title={`${verb} ${name}`} onClose={() => setOpen(false)}>
          <p>
            {blocked
              ? 'The account can log in and call the API again.'
              : 'The account can neither log in nor call the API, and its sessions end within a second. Its calls are still billed.'}
          </p>
          <ActionButton kind={blocked ? 'primary' : 'danger'} text={`${verb} ${name}`} run={change} />
        </SidePanel>
      )}
    </>
  )
}
