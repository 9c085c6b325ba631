import { useState } from 'preact/hooks'
import type { AgeingAnswer } from '#lib/api/console/answers/billing.ts'
import { add, type Money } from '#lib/base/money.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { formatCounted, formatMoney } from '../base/format.ts'
import { saveJournal, saveOfAccount, saveZipOfMonth } from '../base/month-zip.ts'
import { linkToRoute } from '../base/route.ts'
import { ActionButton, QuestionButton } from '../fields/action.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { useToast } from '../ui/toast.tsx'

/** The documents of the month for those who get them, and what is still to be paid, by age. */
export function MonthCollect({ month }: { readonly month: string }) {
  const ageing = useQuery('/documents/ageing')
  return (
    <>
      <MonthFiles month={month} />
      <Loaded query={ageing} what="what is owed" lines={5}>
        {({ customers }) => (
          <>
            {[...Map.groupBy(customers, ({ currency }) => currency)].map(([currency, owing]) => (
              <AgeTiles key={currency} {...{ currency, owing }} />
            ))}
            <Card
              title="Owed by customer"
              beside={
                <span class="cluster">
                  <ActionButton kind="secondary" text="PDF" run={() => saveOfAccount('ageing', {})} />
                  <a href={linkToRoute(['billing'], { status: 'unpaid' })}>Unpaid invoices</a>
                </span>
              }
            >
              <Table
                label="Owed by customer"
                columns={COLUMNS}
                rows={customers}
                empty={<EmptyState icon="check" title="No open invoices" text="Every invoice is paid." />}
              />
            </Card>
          </>
        )}
      </Loaded>
    </>
  )
}

type Owing = AgeingAnswer['customers'][number]

const AGES: readonly (readonly [age: keyof Owing['ages'], title: string])[] = [
  ['not_due', 'Not due yet'],
  ['1_30', '1 to 30 days late'],
  ['31_60', '31 to 60 days'],
  ['61_90', '61 to 90 days'],
  ['over_90', 'Over 90 days'],
]

const COLUMNS: readonly TypedColumn<Owing>[] = [
  { title: 'Customer', customer: ({ customer }) => customer },
  { title: 'Owes', money: ({ owed }) => owed },
  { title: 'Currency', text: ({ currency }) => currency },
  ...AGES.map(([age, title]): TypedColumn<Owing> => ({ title, money: ({ ages }) => ages[age], rank: 3 })),
  { title: 'Unassigned', money: ({ unassigned }) => unassigned, rank: 3 },
]

const sumOf = (amounts: readonly Money[], currency: string): string =>
  formatMoney(add('0', ...amounts), currency)

const AgeTiles = ({ currency, owing }: { readonly currency: string; readonly owing: readonly Owing[] }) => (
  <Tiles>
    {AGES.map(([age, title]) => (
      <Tile
        key={age}
        title={title}
        figure={sumOf(
          owing.map(({ ages }) => ages[age]),
          currency,
        )}
      />
    ))}
  </Tiles>
)

/** Its documents and its journal. */
function MonthFiles({ month }: { readonly month: string }) {
  const showToast = useToast()
  const [progress, note] = useState('')
  const saveZip = async () => {
    const saved = await saveZipOfMonth(month, note).finally(() => note(''))
    showToast(
      saved === 0 ? `There are no documents of ${month}.` : `${formatCounted(saved, 'document')} saved.`,
    )
  }
  const remindAll = async () => {
    const { reminded, without_address: missing } = await act('POST', '/month/remind', {})
    showToast(
      `${formatCounted(reminded, 'reminder')} to be mailed.${missing === 0 ? '' : ` Without an address: ${formatCounted(missing, 'customer')}.`}`,
    )
  }
  const sendAll = async () => {
    let [asked, missing, hasMore] = [0, 0, true]
    while (hasMore) {
      const sent = await act('POST', '/month/send', { month })
      asked += sent.asked
      missing = sent.without_address
      hasMore = sent.has_more
      note(`${asked} asked for`)
    }
    note('')
    const rest = missing === 0 ? '' : ` Without an address: ${missing}.`
    showToast(`${formatCounted(asked, 'document')} of ${month} to be mailed, each once.${rest}`)
  }
  return (
    <div class="cluster">
      <ActionButton kind="secondary" text="Documents as a zip" run={saveZip} />
      <ActionButton kind="secondary" text="Send the documents" run={sendAll} />
      <ActionButton kind="secondary" text="Send the reminders" run={remindAll} />
      <ActionButton kind="secondary" text="Journal" run={() => saveJournal(month, 'csv')} />
      <ActionButton kind="secondary" text="Journal for DATEV" run={() => saveJournal(month, 'datev')} />
      <MonthClose month={month} />
      <span role="status" class="muted">
        {progress}
      </span>
    </div>
  )
}

/** Closes the month of the journal. */
function MonthClose({ month }: { readonly month: string }) {
  const showToast = useToast()
  const close = async () => {
    const { entries, open_from } = await act('POST', '/month/close', { month })
    showToast(`${month} is closed with ${entries} entries. The journal is open from ${open_from}.`)
  }
  return (
    <QuestionButton
      asks="Close the month …"
      title={`Close ${month}`}
      says="A closed month takes no further entries and cannot be opened again. Later entries for it are posted on the first open day. The first close also covers all months before it."
      text="Close the month"
      run={close}
    />
  )
}
