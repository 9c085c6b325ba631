import { useId, useState } from 'preact/hooks'
import type { CallsAnswer } from '#lib/api/console/answers/calls.ts'
import type { CustomerAnswer } from '#lib/api/console/answers/customers.ts'
import type { LedgerValue } from '#lib/api/console/answers/shapes.ts'
import { addDays } from '#lib/base/calendar.ts'
import { isLessThan } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, formatMoney } from '../base/format.ts'
import { saveOfAccount } from '../base/month-zip.ts'
import { linkToRoute } from '../base/route.ts'
import { isOperator, maySell, type SectionProps } from '../base/section.ts'
import { Documents } from '../billing/documents.tsx'
import { PaymentPanel } from '../billing/payment-panel.tsx'
import { CallList } from '../calls/call-list.tsx'
import { ActionButton, QuestionButton } from '../fields/action.tsx'
import { RangeChoice } from '../links/range-choice.tsx'
import { RecordButton } from '../records/record-button.tsx'
import { RecordList } from '../records/record-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Table } from '../tables/table.tsx'
import { PriceLookup } from '../tariffs/price-lookup.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { useToast } from '../ui/toast.tsx'
import { ChargesCard } from './charges-card.tsx'
import { Summary } from './summary.tsx'

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
export function CustomerPage(props: SectionProps) {
  const id = props.route.id
  const query = useQuery(`/customers/${encodeURIComponent(id)}`)
  return (
    <div class="stack">
      {!query.value && <PageHeader title={`Customer ${id}`} />}
      <Loaded query={query} what="the customer" lines={8}>
        {(answer) => <Details {...props} answer={answer} onChanged={query.again} />}
      </Loaded>
    </div>
  )
}

interface DetailsProps extends SectionProps {
  readonly answer: CustomerAnswer
  readonly onChanged: () => void
}

function Details(props: DetailsProps) {
  const { route, range, session, answer, onChanged } = props
  const { customer, mayBlock } = answer
  const id = useId()
  // The operator records no payments to resellers.
  const isOwn = customer.owner?.id === (isOperator(session) ? ADMIN_ACCOUNT : session.id)
  const [payments, setPayments] = useState(0)
  const [isPaying, setPaying] = useState(false)
  const paid = () => {
    setPaying(false)
    setPayments(payments + 1)
    onChanged()
  }
  const tabs = TABS.filter(([name]) => name !== 'log' || session.sections.includes('customers'))
  const tab = tabs.find(([name]) => name === route.tab)?.[0] ?? 'summary'
  const open = (name: Tab) => {
    location.hash = linkToRoute(['customers', customer.id, name])
  }
  return (
    <>
      <PageHeader
        title={customer.name}
        text={[customer.person, customer.username, customer.type, `id ${customer.id}`]
          .filter((part) => part !== null)
          .join(' · ')}
      >
        {maySell(session) && (
          <RecordButton
            text="Edit"
            icon="pencil"
            kind="accounts"
            id={String(customer.id)}
            onDone={onChanged}
          />
        )}
        {mayBlock && <InviteButton customer={customer} />}
        {mayBlock && session.type === 'admin' && customer.type !== 'user' && (
          <ResetFactorButton customer={customer} />
        )}
        {mayBlock && <BlockButton customer={customer} onChanged={onChanged} />}
        {session.actions.includes('payments') && isOwn && (
          <Button opens kind="primary" icon="plus" onClick={() => setPaying(true)}>
            New payment
          </Button>
        )}
      </PageHeader>
      <Frame answer={answer} session={session} />
      <div class="cluster spread">
        <TabList id={id} label="About the customer" tabs={tabs} value={tab} onChange={open} />
        {RANGED.has(tab) && <RangeChoice range={range} />}
      </div>
      {isPaying && (
        <PaymentPanel
          {...{ session, customer: customer.id }}
          onClose={() => setPaying(false)}
          onDone={paid}
        />
      )}
      <TabPanel id={id} value={tab}>
        <TabContent key={payments} {...props} tab={tab} />
      </TabPanel>
    </>
  )
}

/** A colleague who answers the telephone needs this at once. */
function Frame({ answer: { customer, ledger }, session }: Pick<DetailsProps, 'answer' | 'session'>) {
  const { balance, blocked, id } = customer
  const owed = ledger?.length === 0 ? [NOTHING_OWED(session.currency)] : (ledger ?? [])
  return (
    <Tiles>
      {balance !== null && (
        <Tile title="Balance" figure={formatMoney(balance, session.currency)} below="net, invoiced or not" />
      )}
      {owed.map(({ currency, owed: sum, open, unassigned }) => (
        <Tile
          key={currency}
          title={isLessThan(sum, '0') ? 'Has paid too much' : 'Owes, with VAT'}
          figure={formatMoney(sum.replace('-', ''), currency)}
          below={`${formatMoney(open, currency)} open, ${formatMoney(unassigned, currency)} unassigned`}
        />
      ))}
      <Tile
        title="State"
        figure={<Badge {...(blocked ? BLOCKED : ACTIVE)} />}
        below={blocked ? 'cannot sign in or use the API' : ''}
      />
      <LastCall customer={id} today={session.today} />
    </Tiles>
  )
}

const BLOCKED = { tone: 'bad', text: 'Blocked' } as const
const ACTIVE = { tone: 'good', text: 'Active' } as const

const NOTHING_OWED = (currency: string): LedgerValue[number] => ({
  ...{ currency, owed: '0', open: '0', unassigned: '0' },
})

/** The last call is looked for on this many days. */
const DAYS_OF_LAST_CALL = 62

function LastCall({ customer, today }: { readonly customer: number; readonly today: string }) {
  const from = addDays(today, 1 - DAYS_OF_LAST_CALL)
  const { value, problem } = useQuery('/calls', { from, till: today, customer, count: 1 })
  const [call] = value?.calls ?? []
  if (problem) return null
  const [day, time] = call?.at.split(' ') ?? []
  const when = day === today ? `today, ${time?.slice(0, 5)}` : day
  return (
    <Tile title="Last call" figure={when ?? (value ? 'none' : BLANK)} below={belowLastCall(call, value)} />
  )
}

function belowLastCall(call: CallsAnswer['calls'][number] | undefined, read: unknown): string {
  if (call) return `to ${call.to}, ${call.disposition.toLowerCase()}`
  return read ? `in ${DAYS_OF_LAST_CALL} days` : ''
}

function TabContent({ tab, answer, range, session, route, onChanged }: DetailsProps & { readonly tab: Tab }) {
  const { customer } = answer
  if (tab === 'calls')
    return <CallList route={route} session={session} range={range} customer={customer.id} />
  if (tab === 'devices') return <Devices {...{ session, answer, onChanged }} />
  if (tab === 'billing')
    return (
      <>
        <Documents route={route} session={session} customer={customer.id} />
        {answer.ledger && <ChargesCard customer={customer.id} />}
        {answer.ledger && session.type !== 'user' && <Files customer={customer.id} />}
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
  return <Summary {...{ answer, range, session, onChanged }} />
}

const TariffLink = ({ answer: { customer } }: Pick<DetailsProps, 'answer'>) => (
  <p>
    Calls are priced by{' '}
    <a href={linkToRoute(['tariffs', customer.tariff?.id ?? ''])}>{customer.tariff?.name}</a>.
  </p>
)

/** A plain user sees the names of its devices; others open and change them. */
function Devices({ session, answer, onChanged }: Pick<DetailsProps, 'session' | 'answer' | 'onChanged'>) {
  const { customer, devices } = answer
  const id = String(customer.id)
  if (session.type !== 'user')
    return <RecordList kind="devices" of={id} fixed={{ user_id: id }} onChanged={onChanged} />
  return (
    <Card title="Devices">
      <Table
        label="Devices"
        columns={[
          { title: 'Name', text: ({ name }) => name },
          { title: 'Type', text: ({ type }) => type },
        ]}
        rows={devices}
        empty={<EmptyState title="No devices yet" />}
      />
    </Card>
  )
}

/** The draft of the running month, and the statement of its debts and payments. */
function Files({ customer }: { readonly customer: number }) {
  const { run, isUnderWay, problem } = useAction()
  const saving = (what: 'statement' | 'draft') => () => run(() => saveOfAccount(what, { customer }))
  return (
    <Card title="The running month">
      {problem && <RefusalNotice problem={problem} />}
      <span class="cluster">
        <Button icon="download" isBusy={isUnderWay} onClick={saving('draft')}>
          Draft
        </Button>
        <Button icon="download" isBusy={isUnderWay} onClick={saving('statement')}>
          Statement
        </Button>
      </span>
    </Card>
  )
}

interface ChangeProps {
  readonly customer: CustomerAnswer['customer']
  readonly onChanged: () => void
}

/** Sends a link by mail with which the customer chooses its password. */
function InviteButton({ customer: { id, name } }: Pick<ChangeProps, 'customer'>) {
  const showToast = useToast()
  const invite = async () => {
    const { to } = await act('POST', `/customers/${id}/invite`)
    showToast(`${name} is invited: the mail goes to ${to}.`)
  }
  return <ActionButton kind="secondary" text="Invite" run={invite} />
}

/** For a person who has lost the authenticator. */
function ResetFactorButton({ customer: { id, name } }: Pick<ChangeProps, 'customer'>) {
  const showToast = useToast()
  const reset = async () => {
    await act('POST', `/customers/${id}/second-factor/reset`)
    showToast(`${name} signs in by the password alone.`)
  }
  return (
    <QuestionButton
      asks="Reset second factor"
      title={`Reset the second factor of ${name}`}
      text="Reset it"
      says="The account signs in by its password alone until it switches another one on. Its sessions end."
      run={reset}
    />
  )
}

/** Blocking asks first, and says what it does. */
function BlockButton({ customer: { id, name, blocked }, onChanged }: ChangeProps) {
  const showToast = useToast()
  const verb = blocked ? 'Unblock' : 'Block'
  const change = async () => {
    // The panel has asked, also about an account with customers.
    await act('POST', `/customers/${id}/${verb.toLowerCase()}`, blocked ? {} : { yes: 'yes' })
    showToast(`${name} is ${blocked ? 'active again' : 'blocked'}.`)
    onChanged()
  }
  return (
    <QuestionButton
      asks={verb}
      look={blocked ? 'secondary' : 'danger'}
      title={`${verb} ${name}`}
      kind={blocked ? 'primary' : 'danger'}
      says={
        blocked
          ? 'The account can log in and call the API again.'
          : 'The account can neither log in nor call the API, and its sessions end within a second. Its calls are still billed, and its own customers stay admitted.'
      }
      run={change}
    />
  )
}

const LogTab = ({ customer }: { readonly customer: number }) => (
  <ListCard
    title="Log"
    label="Log of the account"
    query={useQuery(`/customers/${customer}/log`)}
    rows="log"
    none="No entries"
    noneText="A block, a new key or a password that an operator sets is noted here."
    columns={() => [
      { title: 'Time', text: ({ at }) => at },
      { title: 'Who', text: ({ who }) => who },
      { title: 'Change', text: ({ change }) => change },
    ]}
    below={({ readFrom }) =>
      readFrom !== null && (
        <p class="muted">{`Entries from ${readFrom} on; earlier ones are in the log of the settings.`}</p>
      )
    }
  />
)
