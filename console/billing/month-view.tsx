import { useState } from 'preact/hooks'
import type { MonthAnswer } from '#lib/api/console/answers/month.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { addMonths, isMonth, monthOf } from '#lib/invoicing/month.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useReading } from '../api/use-reading.ts'
import { dash, formatAmount } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { goWith, type Place } from '../place.ts'
import { ActionButton } from '../states/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Message } from '../states/remedy.tsx'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LabelledField, SwitchField } from '../ui/field.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { saveJournal, saveZipOfMonth } from './month-zip.ts'
import { UnbilledCard } from './unbilled-card.tsx'

/** A preview of the invoices of a month, with the obstacles; its issue, and its documents as a zip. */
export function MonthView({ place, session }: { readonly place: Place; readonly session: SessionAnswer }) {
  const { after = '', month = addMonths(monthOf(session.today), -1) } = place.values
  const reading = useReading<MonthAnswer>('/month', { month, after })
  const [progress, setProgress] = useState('')
  const [choice, choose] = useState(ALL)
  const again = () => {
    choose(ALL)
    reading.again()
  }
  const show = (other: string) => {
    choose(ALL)
    goWith({ month: other, after: '' })
  }
  const mayIssue = session.type !== 'accountant'
  return (
    <>
      <MonthHead {...{ month, choice, again, show, progress, mayIssue }} note={setProgress} />
      <p role="status" class="muted">
        {progress}
      </p>
      <Card title={`Customers in ${month}`} beside={mayIssue && <ChooseAll {...{ choice, choose }} />}>
        <Loaded reading={reading} what="the month" lines={8}>
          {({ customers, next }) => (
            <>
              <Table
                empty={<EmptyState title="No customers" />}
                label={`Customers in ${month}`}
                columns={mayIssue ? [chosenColumn(choice, choose), ...COLUMNS.slice(1)] : COLUMNS}
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

interface MonthActionsProps {
  readonly month: string
  readonly note: (progress: string) => void
}

interface MonthIssueProps extends MonthActionsProps {
  readonly choice: Choice
  readonly progress: string
  readonly again: () => void
}

interface MonthHeadProps extends MonthIssueProps {
  readonly mayIssue: boolean
  readonly show: (month: string) => void
}

/** The choice of the month, and all that can be done with it. */
const MonthHead = ({ month, show, mayIssue, ...issue }: MonthHeadProps) => (
  <div class="cluster spread">
    <LabelledField
      label="Month"
      hint="Such as 2026-05. It has to be over."
      value={month}
      onInput={(value) => {
        if (isMonth(value)) show(value)
      }}
    />
    <div class="cluster">
      <MonthFiles month={month} note={issue.note} />
      {mayIssue && <MonthIssue month={month} {...issue} />}
    </div>
  </div>
)

/** Its documents and its journal. */
function MonthFiles({ month, note }: MonthActionsProps) {
  const tell = useToast()
  const saveZip = async () => {
    const saved = await saveZipOfMonth(month, note).finally(() => note(''))
    tell(saved === 0 ? `There are no documents of ${month}.` : `${saved} documents are saved.`)
  }
  return (
    <>
      <ActionButton kind="secondary" text="Documents as a zip" run={saveZip} />
      <ActionButton kind="secondary" text="Journal" run={() => saveJournal(month, 'csv')} />
      <ActionButton kind="secondary" text="Journal for DATEV" run={() => saveJournal(month, 'datev')} />
    </>
  )
}

/** Issues the month to the customers that are chosen. */
function MonthIssue({ month, choice, progress, again, note }: MonthIssueProps) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const [isDespite, setDespite] = useState('0')
  const title = `Issue ${month} to ${wordsOf(choice)}`
  const issue = async () => {
    const wanted = { month, 'despite-suspense': isDespite === '1' ? 'yes' : 'no' }
    const { issued, refused } = await issuePages(wanted, choice, note).finally(() => note(''))
    setOpen(false)
    tell(
      `${month}: ${issued} issued${refused > 0 ? `, ${refused} refused: see what stands in the way` : ''}.`,
    )
    again()
  }
  return (
    <>
      <Button opens kind="primary" isDisabled={isNone(choice)} onClick={() => setOpen(true)}>
        {`${title} …`}
      </Button>
      {isOpen && (
        <SidePanel title={title} onClose={() => setOpen(false)}>
          <p>
            An issued invoice has a number and never changes: a credit note corrects it. Customers with an
            obstacle are left out, and can be issued later. If this page is closed meanwhile, issue the month
            again: what was issued stays.
          </p>
          <SwitchField
            label="Also customers with calls in suspense"
            value={isDespite}
            onInput={setDespite}
            hint="A later month bills these calls."
          />
          <ActionButton text="Issue the invoices" run={issue} />
          <p role="status">{progress}</p>
        </SidePanel>
      )}
    </>
  )
}

interface Issued {
  readonly issued: number
  readonly refused: number
}

const countIn = ({ issued, refused }: Issued, { customers }: MonthAnswer): Issued => ({
  issued: issued + customers.filter(({ outcome }) => outcome === 'issued').length,
  refused: refused + customers.filter(({ outcome }) => outcome === 'refused').length,
})

/** Issues page by page. Returns the counts of issued and refused. Issuing again resumes a month. */
async function issuePages(wanted: SentValues, { isAll, others }: Choice, note: (text: string) => void) {
  const whom = { [isAll ? 'except' : 'only']: others.join() }
  let [count, seen, after]: [Issued, number, string] = [{ issued: 0, refused: 0 }, 0, '']
  note('The first 50 customers are under way')
  for (;;) {
    const page = await act<MonthAnswer>('POST', '/month/issue', { ...wanted, ...whom, after })
    seen += page.customers.length
    count = countIn(count, page)
    note(`${seen} customers done, ${count.issued} documents issued`)
    if (page.next === null) return count
    after = page.next
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
  {
    key: 'reason',
    title: 'What stands in the way',
    show: ({ reason = '' }) => <Message text={reason} />,
  },
  { key: 'number', title: 'Number', isNumber: false },
  { key: 'calls', title: 'Calls', isNumber: true },
  { key: 'fees', title: 'Fees', isNumber: true },
  { key: 'credits', title: 'Credits', isNumber: true },
  { key: 'vat', title: 'VAT', isNumber: true },
  { key: 'gross', title: 'Total', isNumber: true },
  { key: 'currency', title: 'Currency' },
  { key: 'suspended', title: 'In suspense', isNumber: true },
]

/** All customers of the month but the others, or these alone: also those of pages that are not loaded. */
interface Choice {
  readonly isAll: boolean
  /** The ids of customers. */
  readonly others: readonly string[]
}

const ALL: Choice = { isAll: true, others: [] }

const isNone = ({ isAll, others }: Choice): boolean => !isAll && others.length === 0

function wordsOf({ isAll, others }: Choice): string {
  if (!isAll) return `${others.length} chosen`
  return others.length === 0 ? 'all' : `all but ${others.length}`
}

interface ChoiceProps {
  readonly choice: Choice
  readonly choose: (choice: Choice) => void
}

const ChooseAll = ({ choice, choose }: ChoiceProps) => (
  <label class="cluster">
    <input
      type="checkbox"
      checked={choice.isAll && choice.others.length === 0}
      indeterminate={choice.others.length > 0}
      onChange={({ currentTarget }) => choose({ isAll: currentTarget.checked, others: [] })}
    />
    Choose all
  </label>
)

/** A box for each customer that can be billed. */
const chosenColumn = ({ isAll, others }: Choice, choose: ChoiceProps['choose']): TableColumn => ({
  key: 'customer',
  title: 'Customer',
  show: ({ outcome, customerId = '', customer = '' }) => (
    <span class="cluster">
      {outcome === 'open' && (
        <input
          type="checkbox"
          aria-label={`Choose ${customer}`}
          checked={isAll !== others.includes(customerId)}
          onChange={() =>
            choose({
              isAll,
              others: others.includes(customerId)
                ? others.filter((id) => id !== customerId)
                : [...others, customerId],
            })
          }
        />
      )}
      <CustomerLink id={customerId} name={customer} />
    </span>
  ),
})

const rowOf = ({
  customer,
  number,
  reason,
  calls,
  fees,
  credits,
  vat,
  gross,
  ...row
}: MonthAnswer['customers'][number]) => ({
  // The month of a customer without rows is done, and has no document.
  outcome: row.outcome === 'done' && number === null ? 'empty' : row.outcome,
  currency: row.currency,
  suspended: String(row.suspended),
  customer: customer.name,
  customerId: String(customer.id),
  number: dash(number),
  reason: dash(reason),
  calls: formatAmount(calls),
  fees: formatAmount(fees),
  credits: formatAmount(credits),
  vat: formatAmount(vat),
  gross: formatAmount(gross),
})
