import { useState } from 'preact/hooks'
import type { ClosedMonthAnswer, MonthAnswer } from '#lib/api/console/answers/month.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { addMonths, isMonth, monthOf } from '#lib/invoicing/month.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, dash } from '../base/format.ts'
import { navigate, type PageRoute } from '../base/route.ts'
import { ActionButton, QuestionPanel } from '../fields/action.tsx'
import { CustomerLink } from '../links/customer-link.tsx'
import { InvoiceLink } from '../links/invoice-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Message } from '../states/remedy.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { LabelledField, SwitchField } from '../ui/field.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { saveJournal, saveZipOfMonth } from './month-zip.ts'
import { UnbilledCard } from './unbilled-card.tsx'

/** A preview of the invoices of a month, with the obstacles; its issue, and its documents as a zip. */
export function MonthView({
  route,
  session,
}: {
  readonly route: PageRoute
  readonly session: SessionAnswer
}) {
  const { after = '', month = addMonths(monthOf(session.today), -1) } = route.values
  const query = useQuery<MonthAnswer>('/month', { month, after })
  const [progress, setProgress] = useState('')
  const [choice, choose] = useState(ALL)
  const again = () => {
    choose(ALL)
    query.again()
  }
  const show = (other: string) => {
    choose(ALL)
    navigate({ month: other, after: '' })
  }
  const mayIssue = session.type !== 'accountant'
  const isOpen = mayIssue && query.value?.customers.some(({ outcome }) => outcome === 'open')
  return (
    <>
      <MonthHead {...{ month, choice, again, show, progress, mayIssue }} note={setProgress} />
      <p role="status" class="muted">
        {progress}
      </p>
      <Card title={`Customers in ${month}`} beside={isOpen && <SelectAll {...{ choice, choose }} />}>
        <Loaded query={query} what="the month" lines={8}>
          {({ customers, next }) => (
            <>
              <Table
                empty={
                  <EmptyList
                    title="No customers to bill"
                    text="Each customer of yours is listed here, with its document of the month."
                    narrowedBy={{ after }}
                  />
                }
                label={`Customers in ${month}`}
                columns={[
                  mayIssue
                    ? chosenColumn(choice, choose)
                    : { title: 'Customer', customer: ({ customer }) => customer },
                  ...columnsFor(customers),
                ]}
                rows={customers}
              />
              <PageLinks after={after} next={next} />
            </>
          )}
        </Loaded>
      </Card>
      <UnbilledCard after={route.values['unbilled'] ?? ''} />
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
      hint="Such as 2026-05. Must be a past month."
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
      <MonthClose month={month} />
    </>
  )
}

/** Closes the month of the journal. */
function MonthClose({ month }: Pick<MonthActionsProps, 'month'>) {
  const tell = useToast()
  const [isAsked, ask] = useState(false)
  const close = async () => {
    const { entries, open_from } = await act<ClosedMonthAnswer>('POST', '/month/close', { month })
    tell(`${month} is closed with ${entries} entries. The journal is open from ${open_from}.`)
  }
  return (
    <>
      <Button opens kind="secondary" onClick={() => ask(true)}>
        Close the month …
      </Button>
      {isAsked && (
        <QuestionPanel
          title={`Close ${month}`}
          says="Nothing is posted in a closed month any more, and nothing opens it again. What belongs into it later is posted on the first open day. The first close also covers all months before it."
          text="Close the month"
          onClose={() => ask(false)}
          run={close}
        />
      )}
    </>
  )
}

/** Issues the month to the customers that are chosen. */
function MonthIssue({ month, choice, progress, again, note }: MonthIssueProps) {
  const tell = useToast()
  const [isOpen, setOpen] = useState(false)
  const [isDespite, setDespite] = useState('0')
  const [isLate, setLate] = useState('0')
  const title = `Issue ${month} to ${wordsOf(choice)}`
  const issue = async () => {
    const yes = (value: string) => (value === '1' ? 'yes' : 'no')
    const wanted = { month, 'despite-suspense': yes(isDespite), late: yes(isLate) }
    const { issued, refused } = await issuePages(wanted, choice, note).finally(() => note(''))
    setOpen(false)
    tell(`${month}: ${issued} issued${refused > 0 ? `, ${refused} refused: see “Blocked by”` : ''}.`)
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
          <SwitchField
            label="Also what is older than Late_Months"
            value={isLate}
            onInput={setLate}
            hint="It is listed below the month as not billed."
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

type MonthRow = MonthAnswer['customers'][number]

const STATES = {
  open: ['to be issued', 'neutral'],
  issued: ['issued', 'good'],
  done: ['issued', 'good'],
  empty: ['nothing to bill', 'neutral'],
  refused: ['refused', 'warn'],
} as const

const columnsFor = (rows: readonly MonthRow[]): TypedColumn<MonthRow>[] => [
  // The month of a customer without rows is done, and has no document.
  {
    title: 'State',
    state: ({ outcome, number }) => STATES[outcome === 'done' && number === null ? 'empty' : outcome],
  },
  ...(rows.some(({ reason }) => reason !== null) ? [OBSTACLE] : []),
  {
    title: 'Number',
    text: ({ number }) => number,
    // A negative month is a credit note.
    show: ({ number, gross }) => (gross.startsWith('-') ? dash(number) : <InvoiceLink number={number} />),
  },
  { title: 'Calls', money: ({ calls }) => calls, rank: 3 },
  { title: 'Fees', money: ({ fees }) => fees, rank: 3 },
  { title: 'Credits', money: ({ credits }) => credits, rank: 3 },
  { title: 'VAT', money: ({ vat }) => vat, rank: 3 },
  { title: 'Total', money: ({ gross }) => gross },
  { title: 'Currency', text: ({ currency }) => currency },
  { title: 'In suspense', number: ({ suspended }) => suspended, rank: 2 },
]

const OBSTACLE: TypedColumn<MonthRow> = {
  title: 'Blocked by',
  text: ({ reason }) => reason,
  show: ({ reason }) => (reason === null ? BLANK : <Message text={reason} />),
}

/** All customers of the month but the others, or these alone: also those of pages that are not loaded. */
interface Choice {
  readonly isAll: boolean
  /** The ids of customers. */
  readonly others: readonly number[]
}

const ALL: Choice = { isAll: true, others: [] }

const isNone = ({ isAll, others }: Choice): boolean => !isAll && others.length === 0

function wordsOf({ isAll, others }: Choice): string {
  if (!isAll) return `${others.length} selected`
  return others.length === 0 ? 'all' : `all but ${others.length}`
}

interface ChoiceProps {
  readonly choice: Choice
  readonly choose: (choice: Choice) => void
}

const SelectAll = ({ choice, choose }: ChoiceProps) => (
  <label class="cluster">
    <input
      type="checkbox"
      checked={choice.isAll && choice.others.length === 0}
      indeterminate={choice.others.length > 0}
      onChange={({ currentTarget }) => choose({ isAll: currentTarget.checked, others: [] })}
    />
    Select all
  </label>
)

/** A box for each customer that can be billed. */
const chosenColumn = ({ isAll, others }: Choice, choose: ChoiceProps['choose']): TypedColumn<MonthRow> => ({
  title: 'Customer',
  customer: ({ customer }) => customer,
  show: ({ outcome, customer: { id, name } }) => (
    <span class="cluster">
      {outcome === 'open' && (
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={isAll !== others.includes(id)}
          onChange={({ currentTarget }) =>
            choose({
              isAll,
              others: currentTarget.checked === isAll ? others.filter((one) => one !== id) : [...others, id],
            })
          }
        />
      )}
      <CustomerLink id={id} name={name} />
    </span>
  ),
})
