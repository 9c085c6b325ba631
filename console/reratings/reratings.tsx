import { useState } from 'preact/hooks'
import type { ReratingsAnswer } from '#lib/api/console/answers/calls.ts'
import { subtract } from '#lib/base/money.ts'
import { describeKept, sumOfChanges } from '#lib/calls/rating/price-changes.ts'
import type { SentValues } from '../api/catalogue.ts'
import { useQuery } from '../api/use-query.ts'
import { formatCount, formatCounted } from '../base/format.ts'
import type { SectionProps } from '../base/section.ts'
import { customerNamed } from '../fields/customer-field.tsx'
import { type FormField, FormFields } from '../fields/form-fields.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type FoundRatings, type Rating, useRating } from './use-rating.ts'

interface RatedAgainProps {
  readonly rating: Rating
  readonly found: FoundRatings
  readonly currency: string
}

/** The progress of a re-rating, its changes by customer, and the buttons that continue it. */
function RatedAgain({ rating, found, currency }: RatedAgainProps) {
  const all = sumOfChanges(found.customers)
  const isWhole = found.next === null
  return (
    <Card title={found.isChanged ? 'Changed calls' : 'Dry run: nothing is changed yet'}>
      <div class="stack">
        <Progress found={found} />
        <div class="cluster">
          {rating.isUnderWay && <Button onClick={rating.stop}>Stop after this page</Button>}
          {!(isWhole || rating.isUnderWay) && (
            <Button kind="primary" onClick={rating.goOn}>
              Go on
            </Button>
          )}
          {isWhole && !found.isChanged && all.calls > 0 && !rating.isUnderWay && (
            <Button kind="danger" onClick={rating.change}>
              {`Change these calls (${formatCount(all.calls)})`}
            </Button>
          )}
        </div>
        {isWhole && found.isChanged && (
          <Notice tone="good" title={`Done. Calls changed: ${formatCount(all.calls)}.`}>
            <p>Balances and sums have changed with them. Invoices have not.</p>
          </Notice>
        )}
      </div>
      {all.calls === 0 ? (
        <EmptyState title="No call gets another price" />
      ) : (
        <Table
          label="Prices before and after, by customer"
          columns={[
            { title: 'Customer', text: ({ customer }) => customer.name },
            { title: 'Calls', number: ({ calls }) => calls },
            { title: `Before, ${currency}`, number: ({ before }) => before.user },
            { title: `After, ${currency}`, number: ({ after }) => after.user },
            {
              title: `Difference, ${currency}`,
              number: ({ before, after }) => subtract(after.user, before.user),
            },
            {
              title: `Difference of the cost, ${currency}`,
              number: ({ before, after }) => subtract(after.provider, before.provider),
              rank: 2,
            },
          ]}
          rows={found.customers}
          totals={[{ customer: { id: 0, name: 'Total' }, ...all }]}
        />
      )}
    </Card>
  )
}

function Progress({ found }: { readonly found: FoundRatings }) {
  const all = Math.max(found.total ?? 0, found.calls)
  return (
    <>
      <label>
        {`${formatCount(found.calls)} of ${formatCounted(all, 'call')} rated`}
        <progress value={found.calls} max={Math.max(1, all)} />
      </label>
      {describeKept(found, labelOf).map((line) => (
        <p key={line} class="muted">
          {line}
        </p>
      ))}
    </>
  )
}

const labelOf = (input: string): string => `"${SWITCHES.find(({ name }) => name === input)?.label}"`

/** Rates stored calls again: first what would change, then the change, page by page. */
export function Reratings({ route, session }: SectionProps) {
  const runs = useQuery('/reratings')
  const [values, setValues] = useState<SentValues>({
    with: 'active',
    from: route.values['from'] ?? session.today,
    till: session.today,
    tariff: route.values['tariff'] ?? '',
  })
  const rating = useRating(runs.again)
  const change = (changed: SentValues) => {
    setValues({ ...values, ...changed })
    rating.forget()
  }
  const preview = async (event: Event) => {
    event.preventDefault()
    const { name = '', ...chosen } = values
    await rating.preview(async () => ({
      ...chosen,
      ...(name.trim() && { customer: String((await customerNamed(name)).id) }),
    }))
  }
  return (
    <div class="stack">
      <PageHeader
        title="Re-rating"
        text="Stored calls get the prices of today’s rates, or of the rates that were in force when they began. A dry run shows the difference first."
      />
      <Card title="Calls to rate again">
        <form class="stack" aria-label="Re-rating" onSubmit={preview}>
          <fieldset class="stack" disabled={rating.isUnderWay}>
            <Choice values={values} onChange={change} />
          </fieldset>
          {rating.problem && <RefusalNotice problem={rating.problem} />}
          <div class="cluster">
            <Button kind={rating.found ? 'secondary' : 'primary'} submits isBusy={rating.isUnderWay}>
              Dry run
            </Button>
          </div>
        </form>
      </Card>
      {rating.found && <RatedAgain rating={rating} found={rating.found} currency={session.currency} />}
      <ListCard
        title="Earlier runs"
        query={runs}
        rows="runs"
        none="No calls were rated again yet"
        columns={({ currency }) => [
          { title: 'Begun', text: ({ at }) => at },
          { title: 'Ended', text: ({ ended }) => ended ?? 'not finished: run it again', rank: 2 },
          { title: 'Calls changed', number: ({ changed }) => changed },
          { title: `Before, ${currency}`, number: ({ before }) => before },
          { title: `After, ${currency}`, number: ({ after }) => after },
          { title: 'Calls of', text: daysIn, rank: 3 },
        ]}
      />
    </div>
  )
}

interface ChoiceProps {
  readonly values: SentValues
  readonly onChange: (changed: SentValues) => void
}

const FIELDS: readonly FormField[] = [
  { name: 'from', label: 'From', type: 'date', required: true },
  { name: 'till', label: 'Till', type: 'date', required: true, hint: 'Included.' },
  {
    name: 'with',
    label: 'By',
    required: true,
    blankChoice: 'choose',
    choices: [
      { value: 'active', label: 'today’s rates' },
      { value: 'as-of', label: 'the rates in force at each call' },
    ],
  },
  { name: 'name', label: 'Customer', control: 'customer' },
]

const SWITCHES: readonly FormField[] = [
  {
    name: 'includeInvoiced',
    label: 'Also invoiced calls',
    control: 'switch',
    hint: 'Their invoices are not changed.',
  },
  { name: 'includePriced', label: 'Also prices that came with the calls', control: 'switch' },
]

function Choice({ values, onChange }: ChoiceProps) {
  const tariffs = useQuery('/tariffs').value?.tariffs ?? []
  const providers = useQuery('/records/providers').value?.records ?? []
  const named = (name: string, label: string, of: typeof tariffs | typeof providers): FormField => ({
    ...{ name, label },
    blankChoice: 'all',
    choices: of.map((one) => ({ value: String(one.id), label: one.name })),
  })
  const further = [named('tariff', 'Tariff', tariffs), named('provider', 'Provider', providers)]
  return (
    <div class="fields">
      <FormFields fields={[...FIELDS, ...further, ...SWITCHES]} {...{ values, onChange }} />
    </div>
  )
}

function daysIn({ options }: ReratingsAnswer['runs'][number]): string {
  const { from = '', till = '' } = JSON.parse(options) as SentValues
  return from === till ? from : `${from} to ${till}`
}
