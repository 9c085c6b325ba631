import type { MonthAnswer } from '#lib/api/console/answers/billing.ts'
import { useAction } from '../api/use-action.ts'
import type { ApiQuery } from '../api/use-query.ts'
import { BLANK, dash } from '../base/format.ts'
import { saveOfAccount } from '../base/month-zip.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { InvoiceLink } from '../links/invoice-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Message } from '../states/remedy.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'

interface MonthPreviewProps extends ChoiceProps {
  readonly month: string
  readonly query: ApiQuery<MonthAnswer>
  readonly mayIssue: boolean
  /** The key of the page. */
  readonly after: string
}

/** The amount of the month for each customer, or why it cannot be billed, and a box for each invoice. */
export const MonthPreview = ({ month, query, mayIssue, after, choice, choose }: MonthPreviewProps) => (
  <Card
    title={`Customers in ${month}`}
    beside={
      mayIssue &&
      query.value?.customers.some(({ outcome }) => outcome === 'open') && (
        <SelectAll {...{ choice, choose }} />
      )
    }
  >
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
            actions={({ customer, outcome }) =>
              outcome === 'open' && <Draft {...{ month }} customer={customer} />
            }
          />
          <PageLinks after={after} next={next} />
        </>
      )}
    </Loaded>
  </Card>
)

type MonthRow = MonthAnswer['customers'][number]

interface DraftProps extends Pick<MonthPreviewProps, 'month'> {
  readonly customer: MonthRow['customer']
}

/** The document as it would be, without a number. */
function Draft({ month, customer: { id, name } }: DraftProps) {
  const { run, isUnderWay, problem } = useAction()
  return (
    <>
      {problem && <RefusalNotice problem={problem} />}
      <Button
        small
        kind="quiet"
        icon="download"
        label={`Draft for ${name}`}
        isBusy={isUnderWay}
        onClick={() => run(() => saveOfAccount('draft', { customer: id, month }))}
      >
        Draft
      </Button>
    </>
  )
}

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
  show: ({ reason, remedy }) => (reason === null ? BLANK : <Message text={reason} remedy={remedy} />),
}

/** All customers of the month but the others, or these alone: also those of pages that are not loaded. */
export interface Choice {
  readonly isAll: boolean
  /** The ids of customers. */
  readonly others: readonly number[]
}

export const EVERY_CUSTOMER: Choice = { isAll: true, others: [] }

export const isNone = ({ isAll, others }: Choice): boolean => !isAll && others.length === 0

export function wordsOf({ isAll, others }: Choice): string {
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
