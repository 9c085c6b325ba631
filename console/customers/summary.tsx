import type { CustomerAnswer } from '#lib/api/console/answers/customers.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { UsualPricesAnswer } from '#lib/api/console/answers/tariffs.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, dash, decimalsIn, formatFixed, formatLength, formatMoney } from '../base/format.ts'
import type { DayRange } from '../base/range.ts'
import { linkToRoute } from '../base/route.ts'
import { maySell } from '../base/section.ts'
import { AdjustButton } from '../billing/adjust-button.tsx'
import { ActionForm } from '../fields/action.tsx'
import { DayChart } from '../overview/day-chart.tsx'
import { ATTEMPTS } from '../overview/figures.ts'
import { RecordButton } from '../records/record-button.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { stepsOf } from '../tariffs/hours.ts'
import { Card } from '../ui/card.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { useToast } from '../ui/toast.tsx'

interface SummaryProps {
  readonly answer: CustomerAnswer
  readonly session: SessionAnswer
  readonly range: DayRange
  readonly onChanged: () => void
}

/** For a colleague who answers the telephone: the customer, its balance and limits, and its last calls. */
export function Summary({ answer, session, range, onChanged }: SummaryProps) {
  const { customer } = answer
  const days = { from: range.from, till: range.till, customer: customer.id }
  const traffic = useQuery('/traffic', days)
  return (
    <>
      <div class="charts">
        <Contact {...{ answer, session, onChanged }} />
        <Card
          title="Balance and limits"
          beside={
            <>
              {session.type !== 'user' && (
                <a class="button small" href={linkToRoute(['customers', customer.id, 'tariff'])}>
                  May it call?
                </a>
              )}
              {session.type === 'admin' && customer.balance !== null && (
                <AdjustButton customer={customer.id} currency={session.currency} onChanged={onChanged} />
              )}
            </>
          }
        >
          <Facts facts={limitFacts(answer, session.currency)} />
        </Card>
      </div>
      <LastCalls customer={customer.id} range={range} />
      {session.type !== 'user' && <UsualPrices customer={customer.id} />}
      <Card title="Attempts by day">
        <Loaded query={traffic} what="the traffic" block>
          {(value) => <DayChart measure={ATTEMPTS} traffic={value} today={session.today} />}
        </Loaded>
      </Card>
    </>
  )
}

/** The record has how to reach the customer. A plain user has no records: it sees its agreement. */
function Contact({ answer, session, onChanged }: Omit<SummaryProps, 'range'>) {
  const { customer, agreement, clientId, deviceCount } = answer
  const query = useQuery(session.type === 'user' ? undefined : `/records/accounts/${customer.id}`)
  const values = query.value?.record.values ?? {}
  const edited = maySell(session) && query.value !== undefined
  return (
    <Card
      title="Account"
      beside={maySell(session) && <AddDevice of={String(customer.id)} onDone={onChanged} />}
    >
      <Facts
        facts={[
          ...contactFacts(edited ? { ...values, comment: '' } : values),
          ['Owner', dash(customer.owner?.name)],
          ['Tariff', dash(customer.tariff?.name)],
          ['Devices', <a href={linkToRoute(['customers', customer.id, 'devices'])}>{deviceCount}</a>],
          ['Agreement', dash(agreement)],
          ['Client id', dash(clientId)],
        ]}
      />
      {edited && <Note id={customer.id} comment={values['comment'] ?? ''} onDone={query.again} />}
    </Card>
  )
}

interface NoteProps {
  readonly id: number
  readonly comment: string
  readonly onDone: () => void
}

/** The operator's note on a customer. The customer does not see it. */
function Note({ id, comment, onDone }: NoteProps) {
  const showToast = useToast()
  const save = async (once: string, values: SentValues) => {
    await act('PUT', `/records/accounts/${id}`, { comment: '', ...values }, once)
    showToast('The note is saved.')
    onDone()
  }
  return (
    <ActionForm
      label="Note"
      kind="secondary"
      text="Save the note"
      fields={NOTE}
      initial={{ comment }}
      run={save}
    />
  )
}

const NOTE = [{ name: 'comment', label: 'Note', rows: 2, hint: 'The customer does not see it.' }] as const

/** A new customer lacks a device before its first call. */
const AddDevice = ({ of, onDone }: { readonly of: string; readonly onDone: () => void }) => (
  <RecordButton
    small
    text="Add a device"
    icon="plus"
    kind="devices"
    fixed={{ user_id: of }}
    {...{ of, onDone }}
  />
)

/** Only what is known. */
function contactFacts(values: SentValues): Fact[] {
  const joined = (...names: readonly string[]) => names.flatMap((name) => values[name] || []).join(', ')
  const address = joined('address', 'postcode', 'city', 'state')
  const facts: Fact[] = [
    ['Email', values['email'] ? <a href={`mailto:${values['email']}`}>{values['email']}</a> : ''],
    ['Phone', joined('phone', 'mob_phone')],
    ['Address', address],
    ['VAT number', values['vat_number'] ?? ''],
    ['Note', values['comment'] ?? ''],
  ]
  return facts.filter(([, value]) => value !== '')
}

/** The money of the account and its limit. A balance counts calls, fees, payments and adjustments. */
function limitFacts({ customer, limits, callMoney }: CustomerAnswer, currency: string): Fact[] {
  const money = (amount: string | null | undefined) => (amount ? formatMoney(amount, currency) : 'no limit')
  return [
    ...partFacts(customer, currency),
    ['Pays', limits.postpaid ? 'later, by invoice' : 'before it calls'],
    ['Credit', money(limits.credit)],
    ['Daily limit', money(limits.day)],
    ['Concurrent calls', limits.calls === null ? 'no limit' : String(limits.calls)],
    ['Highest rate', limits.rate === null ? 'no limit' : `${limits.rate} ${currency} a minute`],
    ...(callMoney ? heldFacts(callMoney, currency) : []),
  ]
}

function partFacts({ balanceParts }: CustomerAnswer['customer'], currency: string): Fact[] {
  if (!balanceParts) return []
  const { opening, paid, adjusted, charged, fees } = balanceParts
  const parts = [
    ['opened with', opening],
    ['paid', paid],
    ['adjusted by', adjusted],
    ['less calls of', charged],
    ['less fees of', fees],
  ] as const
  const shown = parts.filter(([, amount]) => Number(amount) !== 0)
  const text = shown.map(([word, amount]) => `${word} ${formatMoney(amount, currency)}`).join(', ')
  return [['Balance, made up of', text || 'nothing so far']]
}

const heldFacts = (
  { left, held, holds }: NonNullable<CustomerAnswer['callMoney']>,
  currency: string,
): Fact[] => [
  ['Left for calls', left === null ? 'no limit' : formatMoney(left, currency)],
  ['Held for calls', `${formatMoney(held, currency)} in ${holds.length} calls`],
]

const LAST_CALLS = 5
const PRICE_DECIMALS = 4

function LastCalls({ customer, range }: Pick<SummaryProps, 'range'> & { readonly customer: number }) {
  const { from, till } = range
  const query = useQuery('/calls', { from, till, customer, count: LAST_CALLS })
  return (
    <ListCard
      title="Last calls"
      beside={<a href={linkToRoute(['customers', customer, 'calls'])}>All calls of these days</a>}
      query={query}
      rows="calls"
      none="No calls on these days"
      columns={({ currency }) => [
        {
          title: 'Time',
          text: ({ at }) => at,
          show: ({ id, at }) => (
            <a href={linkToRoute(['customers', customer, 'calls'], { call: id })}>{at}</a>
          ),
        },
        { title: 'From', text: ({ from }) => from },
        { title: 'To', text: ({ to }) => to },
        { title: 'Length', number: ({ seconds }) => formatLength(seconds) },
        { title: 'Result', text: ({ disposition }) => disposition.toLowerCase(), rank: 2 },
        { title: `Price, ${currency}`, number: ({ price }) => formatFixed(price, PRICE_DECIMALS) },
      ]}
    />
  )
}

/** A customer asks on the telephone for the price of a number. */
function UsualPrices({ customer }: { readonly customer: number }) {
  return (
    <ListCard
      title="Prices of ten destinations"
      label="Prices"
      beside={<a href={linkToRoute(['customers', customer, 'tariff'])}>Another number</a>}
      query={useQuery(`/customers/${customer}/prices`)}
      rows="rates"
      none="No prices"
      noneText="The tariff of this customer has no rates, or it has no tariff."
      columns={columnsOfPrices}
    />
  )
}

function columnsOfPrices({
  currency,
  rates,
}: UsualPricesAnswer): TypedColumn<UsualPricesAnswer['rates'][number]>[] {
  const decimals = decimalsIn(rates.map(({ perMinute }) => perMinute))
  const feeDecimals = decimalsIn(rates.map(({ fee }) => fee))
  const fee = {
    title: `Connection, ${currency}`,
    number: (rate: (typeof rates)[number]) => (rate.isBlocked ? BLANK : formatFixed(rate.fee, feeDecimals)),
  }
  return [
    { title: 'Destination', text: ({ destination }) => destination },
    { title: 'Prefix', text: ({ prefix }) => prefix },
    { title: 'Its last calls', number: ({ calls }) => calls || BLANK, rank: 2 },
    { title: 'Billed in, s', text: stepsOf, rank: 3 },
    ...(rates.some((rate) => Number(rate.fee) !== 0) ? [fee] : []),
    {
      title: `A minute, ${currency}`,
      number: (rate) => (rate.isBlocked ? 'blocked' : formatFixed(rate.perMinute, decimals)),
    },
  ]
}
