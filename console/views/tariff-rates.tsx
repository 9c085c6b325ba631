import { useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { find, textIn } from '../api/xml.ts'
import { formatCount } from '../format.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Table } from '../ui/table.tsx'

interface Tariff {
  readonly name: string
  readonly currency: string
  readonly rows: readonly AnswerRow[]
}

const COLUMNS = [
  { key: 'prefix', title: 'Prefix', isNumber: false },
  { key: 'destination', title: 'Destination' },
  { key: 'tariff_rate', title: 'Rate' },
  { key: 'con_fee', title: 'Connection fee' },
  { key: 'increment', title: 'Increment' },
  { key: 'min_time', title: 'Minimum' },
  { key: 'time', title: 'Hours' },
  { key: 'daytype', title: 'Days' },
  { key: 'effective_from', title: 'From' },
]

/** A whole tariff, searched as it is typed. */
export function TariffRates({ ask }: { readonly ask: Ask }) {
  const [id, setId] = useState('')
  const [wanted, setWanted] = useState('')
  const [{ value, problem, isUnderWay }, put] = useAnswer<Tariff>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(() => tariffOf(ask, id.trim()))
  }
  const found = useMemo(() => searched(value?.rows ?? [], wanted), [value, wanted])
  const name = value && (
    <>
      <strong>{value.name}</strong> <Badge tone="info" text={value.currency} />
    </>
  )
  return (
    <Card title="A whole tariff" beside={name}>
      <form class="line-form" onSubmit={submit}>
        <Field
          label="Tariff"
          value={id}
          onInput={setId}
          placeholder="3"
          hint="Its id; blank for the one of the account that is signed in."
        />
        <Button submits isBusy={isUnderWay}>
          Show the tariff
        </Button>
      </form>
      {problem && <ProblemNotice text={problem} />}
      {value && (
        <>
          <div class="line-form">
            <Field
              label="Search"
              type="search"
              value={wanted}
              onInput={setWanted}
              placeholder="Prefix or destination"
              hint={`${formatCount(found.length)} of ${formatCount(value.rows.length)} rates`}
            />
          </div>
          {found.length > 0 ? (
            <Table label="Rates" columns={COLUMNS} rows={found} />
          ) : (
            <EmptyState title="No rate matches" text="Search for the first digits or a part of the name." />
          )}
        </>
      )}
    </Card>
  )
}

function searched(rows: readonly AnswerRow[], wanted: string): readonly AnswerRow[] {
  const text = wanted.trim().toLowerCase()
  return rows.filter(
    ({ prefix = '', destination = '' }) =>
      prefix.startsWith(text) || destination.toLowerCase().includes(text),
  )
}

async function tariffOf(ask: Ask, id: string): Promise<Tariff> {
  const answer = await ask('tariff_rates_get', id ? { tariff_id: id } : {})
  return {
    name: textIn(answer, 'tariff_name'),
    currency: textIn(answer, 'currency'),
    rows: (find(answer, 'rates')?.children ?? []).map((rate) => rateRow(answerRow(rate))),
  }
}

const hourAndMinute = (time = ''): string => time.slice(0, 5)

const rateRow = (row: AnswerRow): AnswerRow => ({
  ...row,
  time: `${hourAndMinute(row['start_time'])}–${hourAndMinute(row['end_time'])}`,
})
