import { useState } from 'preact/hooks'
import type { MonthAnswer } from '#lib/api/console/answers/month.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { addMonths, isMonth, monthOf } from '#lib/invoicing/month.ts'
import { act } from '../api/console-api.ts'
import { useReading } from '../api/use-reading.ts'
import { dash, formatAmount } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { goWith, type Place } from '../place.ts'
import { ActionButton } from '../states/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LabelledField } from '../ui/field.tsx'
import { useToast } from '../ui/toast.tsx'
import { saveJournal, saveZipOfMonth } from './month-zip.ts'
import { UnbilledCard } from './unbilled-card.tsx'

interface MonthProps {
  readonly place: Place
  readonly session: SessionAnswer
}

/** A preview of the invoices of a month, with the obstacles; its issue, and its documents as a zip. */
export function MonthView({ place, session }: MonthProps) {
  const { after = '', month = addMonths(monthOf(session.today), -1) } = place.values
  const reading = useReading<MonthAnswer>('/month', { month, after })
  const [progress, setProgress] = useState('')
  const tell = useToast()
  const issueAll = async () => {
    const issued = await issuePages(month, setProgress)
    setProgress('')
    tell(`${issued} documents of ${month} are issued.`)
    reading.again()
  }
  return (
    <>
      <div class="cluster spread">
        <LabelledField
          label="Month"
          hint="Such as 2026-05. It has to be over."
          value={month}
          onInput={(value) => {
            if (isMonth(value)) goWith({ month: value, after: '' })
          }}
        />
        <div class="cluster">
          <ActionButton
            kind="secondary"
            text="Save its documents as a zip"
            run={async () => {
              const saved = await saveZipOfMonth(month, setProgress)
              setProgress('')
              tell(saved === 0 ? `There are no documents of ${month}.` : `${saved} documents are saved.`)
            }}
          />
          <ActionButton kind="secondary" text="Save its journal" run={() => saveJournal(month, 'csv')} />
          <ActionButton kind="secondary" text="For DATEV" run={() => saveJournal(month, 'datev')} />
          {session.type !== 'accountant' && <ActionButton text={`Issue all of ${month}`} run={issueAll} />}
        </div>
      </div>
      <p role="status" class="muted">
        {progress}
      </p>
      <Card title={`Customers in ${month}`}>
        <Loaded reading={reading} what="the month" lines={8}>
          {({ customers, next }) => (
            <>
              <Table
                empty={<EmptyState title="No customers" />}
                label={`Customers in ${month}`}
                columns={
                  session.type === 'accountant' ? COLUMNS : [...COLUMNS, issueColumn(month, reading.again)]
                }
                rows={customers.map(rowOf)}
              />
              <PageLinks after={after} next={next} />
            </>
          )}
        </Loaded>
      </Card>
      <UnbilledCard after={place.values['unbilled'] ?? ''} />
    </>
  )
}

/** Issues page by page. Returns the number of documents; a month that was interrupted is issued on. */
async function issuePages(month: string, note: (text: string) => void): Promise<number> {
  let [issued, seen, after] = [0, 0, '']
  for (;;) {
    const { customers, next } = await act<MonthAnswer>('POST', '/month/issue', { month, after })
    seen += customers.length
    issued += customers.filter(({ outcome }) => outcome === 'issued').length
    note(`${seen} customers done, ${issued} documents issued`)
    if (next === null) return issued
    after = next
  }
}

const WORDS = {
  open: ['neutral', 'to be issued'],
  issued: ['good', 'issued'],
  done: ['good', 'issued'],
  empty: ['neutral', 'nothing to bill'],
  refused: ['warn', 'refused'],
} as const

const COLUMNS: readonly TableColumn[] = [
  {
    key: 'customer',
    title: 'Customer',
    show: ({ customer = '', customerId = '' }) => <CustomerLink id={customerId} name={customer} />,
  },
  {
    key: 'outcome',
    title: 'State',
    show: ({ outcome = 'open' }) => {
      const [tone, text] = WORDS[outcome as keyof typeof WORDS]
      return <Badge tone={tone} text={text} />
    },
  },
  { key: 'number', title: 'Number', isNumber: false },
  { key: 'calls', title: 'Calls', isNumber: true },
  { key: 'fees', title: 'Fees', isNumber: true },
  { key: 'vat', title: 'VAT', isNumber: true },
  { key: 'gross', title: 'Total', isNumber: true },
  { key: 'currency', title: 'Currency' },
  { key: 'suspended', title: 'In suspense', isNumber: true },
  { key: 'reason', title: 'What stands in the way' },
]

/** A button for each customer that can be billed. */
const issueColumn = (month: string, again: () => void): TableColumn => ({
  key: 'issue',
  title: 'Issue',
  show: ({ outcome, customerId, customer }) =>
    outcome === 'open' ? (
      <ActionButton
        kind="secondary"
        text={`Issue that of ${customer}`}
        run={async () => {
          await act('POST', '/month/issue', { month, only: customerId })
          again()
        }}
      />
    ) : null,
})

const rowOf = ({
  customer,
  number,
  reason,
  calls,
  fees,
  vat,
  gross,
  ...row
}: MonthAnswer['customers'][number]) => ({
  outcome: row.outcome,
  currency: row.currency,
  suspended: String(row.suspended),
  customer: customer.name,
  customerId: String(customer.id),
  number: dash(number),
  reason: dash(reason),
  calls: formatAmount(calls),
  fees: formatAmount(fees),
  vat: formatAmount(vat),
  gross: formatAmount(gross),
})
