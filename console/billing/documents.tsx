import { useId, useState } from 'preact/hooks'
import type { BilledRow, DocumentsAnswer } from '#lib/api/console/answers/billing.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { QueryValues } from '../api/console-api.ts'
import { answerPages } from '../api/use-pages.ts'
import { useQuery } from '../api/use-query.ts'
import { formatAmount } from '../base/format.ts'
import { saveDocument } from '../base/month-zip.ts'
import { navigate, type PageRoute } from '../base/route.ts'
import { ActionButton } from '../fields/action.tsx'
import { Filters } from '../fields/filters.tsx'
import { ChipLinks } from '../links/chip-links.tsx'
import { InvoiceLink } from '../links/invoice-link.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { CsvButton } from '../states/csv-button.tsx'
import { stateOfDocument } from '../states/document-state.ts'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import type { EmptyStateProps } from '../ui/empty-state.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { PaymentActs } from './payment-acts.tsx'
import { PaymentPanel } from './payment-panel.tsx'

const KINDS = [
  ['invoices', 'Invoices'],
  ['credit-notes', 'Credit notes'],
  ['payments', 'Payments'],
] as const

type Kind = (typeof KINDS)[number][0]

interface DocumentsProps {
  readonly route: PageRoute
  readonly session: SessionAnswer
  readonly customer?: number
}

/** Links lead from section to section with `from` and `till` of calls, which would hide older documents. */
const DAYS = [
  { name: 'dated-from', label: 'Dated from', type: 'date' },
  { name: 'dated-till', label: 'Dated to', type: 'date' },
] as const

/** Invoices, credit notes and payments, with a total for each currency. */
export function Documents({ route, session, customer }: DocumentsProps) {
  const { after = '', status = '', payment = '' } = route.values
  const kind = KINDS.find(([name]) => name === route.values['kind'])?.[0] ?? 'invoices'
  const id = useId()
  const isOfMany = customer === undefined && session.type !== 'user'
  const { customer: chosen = '', 'dated-from': from = '', 'dated-till': till = '' } = route.values
  const filters = { customer: isOfMany ? chosen : '', 'dated-from': from, 'dated-till': till }
  const wanted = { kind, status, from, till, customer: customer ?? filters.customer }
  const ofCustomer = useQuery(filters.customer ? `/customers/${encodeURIComponent(chosen)}` : undefined)
  const query = useQuery('/documents', { ...wanted, after })
  const [isRecording, setRecording] = useState(false)
  const open = (name: Kind) => navigate({ kind: name, after: '', status: '' })
  return (
    <>
      <div class="cluster spread">
        <TabList id={id} label="Kinds of documents" tabs={KINDS} value={kind} onChange={open} />
        {customer === undefined && session.actions.includes('payments') && (
          <Button opens icon="plus" onClick={() => setRecording(true)}>
            Record a payment
          </Button>
        )}
      </div>
      <TabPanel id={id} value={kind}>
        <Card
          title={KINDS.find(([name]) => name === kind)?.[1] ?? ''}
          beside={
            <>
              <ChipLinks label="Status" name="status" value={status} chips={['', ...STATUSES[kind]]} />
              <CsvButton name={kind} heading={HEADING} pages={() => linesOf(wanted)} />
            </>
          }
        >
          <Filters
            of="documents"
            values={filters}
            fields={DAYS}
            isOfMany={isOfMany}
            customerName={ofCustomer.value?.customer.name}
          />
          <Loaded query={query} what="the documents" lines={8}>
            {({ documents, totals, next }) =>
              documents.length === 0 && next === null ? (
                <EmptyList {...NONE_YET[kind]} narrowedBy={{ ...filters, status, after }} />
              ) : (
                <>
                  <Table
                    label="Documents"
                    columns={columnsFor(kind, isOfMany, session.today)}
                    rows={documents}
                  />
                  <Totals totals={totals} isPart={next !== null} />
                  <PageLinks after={after} next={next} />
                </>
              )
            }
          </Loaded>
        </Card>
      </TabPanel>
      <OpenPayment
        payment={query.value?.documents.find(({ id: one }) => kind === 'payments' && String(one) === payment)}
        mayChange={session.actions.includes('payments')}
        onDone={query.again}
      />
      {isRecording && (
        <PaymentPanel
          session={session}
          customer={customer}
          onClose={() => setRecording(false)}
          onDone={() => {
            setRecording(false)
            query.again()
          }}
        />
      )}
    </>
  )
}

interface OpenPaymentProps {
  readonly payment: BilledRow | undefined
  readonly mayChange: boolean
  readonly onDone: () => void
}

const OpenPayment = ({ payment, mayChange, onDone }: OpenPaymentProps) =>
  payment ? (
    <PaymentActs
      key={payment.id}
      {...{ payment, mayChange }}
      onClose={() => navigate({ payment: '' })}
      onDone={() => {
        navigate({ payment: '' })
        onDone()
      }}
    />
  ) : null

const HEADING = [
  ...['number', 'date', 'customer_id', 'customer', 'status'],
  ...['net', 'with_vat', 'open', 'currency', 'comment'],
]

async function* linesOf(query: QueryValues) {
  for await (const { documents } of answerPages('/documents', query))
    yield documents.map((one) => [
      ...[one.number, one.date, String(one.customer.id), one.customer.name, one.status],
      ...[one.amount ?? '', one.amountWithVat ?? '', one.open ?? '', one.currency, one.comment ?? ''],
    ])
}

const STATUSES: Readonly<Record<Kind, readonly string[]>> = {
  invoices: ['unpaid', 'overdue', 'paid'],
  'credit-notes': ['unpaid', 'paid'],
  payments: ['completed', 'pending'],
}

const columnsFor = (kind: Kind, isOfMany: boolean, today: string): readonly TypedColumn<BilledRow>[] => [
  { title: 'Number', text: ({ number }) => number, show: (row) => <NumberOf {...{ row, kind }} /> },
  { title: 'Date', text: ({ date }) => date.slice(0, 10) },
  ...(kind === 'invoices' ? [DUE] : []),
  ...(isOfMany ? [CUSTOMER] : []),
  { title: 'Status', state: (row) => stateOfDocument(row, today) },
  { title: 'Net', money: ({ amount }) => amount, rank: 3 },
  { title: 'With VAT', money: ({ amountWithVat }) => amountWithVat, onPhone: 'first' },
  ...(kind === 'credit-notes' ? [] : [OPEN[kind]]),
  { title: 'Currency', text: ({ currency }) => currency },
  ...(kind === 'invoices' ? [] : [COMMENT]),
]

const OPEN: Readonly<Record<Exclude<Kind, 'credit-notes'>, TypedColumn<BilledRow>>> = {
  invoices: { title: 'Open', money: ({ open }) => open ?? '' },
  payments: { title: 'Unassigned', money: ({ open }) => open ?? '' },
}

const COMMENT: TypedColumn<BilledRow> = { title: 'Comment', text: ({ comment }) => comment, rank: 3 }

const DUE: TypedColumn<BilledRow> = { title: 'Due', text: ({ due }) => due, rank: 2 }

const CUSTOMER: TypedColumn<BilledRow> = { title: 'Customer', customer: ({ customer }) => customer }

function NumberOf({ row: { number, id }, kind }: { readonly row: BilledRow; readonly kind: Kind }) {
  if (kind === 'invoices') return <InvoiceLink number={number} id={id} />
  if (kind !== 'credit-notes') return <OpenButton text={number} opens={{ payment: String(id) }} />
  return (
    <span class="cluster">
      {number}
      <ActionButton
        kind="secondary"
        text={`Save ${number} as PDF`}
        run={() => saveDocument('credit-notes', id)}
      />
    </span>
  )
}

/** The text of an empty list, and the act that adds its first row. */
const NONE_YET: Readonly<Record<Kind, EmptyStateProps>> = {
  invoices: { title: 'No invoices yet', text: 'Under “Month” a month becomes invoices.' },
  'credit-notes': { title: 'No credit notes yet', text: 'The page of an invoice has “Credit …”.' },
  payments: { title: 'No payments yet', text: 'Record the first one above.' },
}

interface TotalsProps extends Pick<DocumentsAnswer, 'totals'> {
  /** Whether there are further pages. */
  readonly isPart: boolean
}

const Totals = ({ totals, isPart }: TotalsProps) => (
  <>
    <ul class="totals">
      {totals.map(({ currency, count, amountWithVat }) => (
        <li key={currency}>
          {`Total of ${count}: `}
          <strong>{`${formatAmount(amountWithVat)} ${currency}`}</strong>
        </li>
      ))}
    </ul>
    {isPart && <p class="muted">The totals are those of this page.</p>}
  </>
)
