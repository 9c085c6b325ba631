import { useState } from 'preact/hooks'
import type { Method, Values } from '../api/catalogue.ts'
import type { Signer } from '../api/request.ts'
import { Field } from '../views/field.tsx'
import { Message } from '../views/message.tsx'
import { Table } from '../views/table.tsx'
import { useAnswer } from '../views/use-answer.ts'
import { answerSeizureRatio, averageLength } from './tally.ts'
import { tallyCalls } from './tally-calls.ts'

interface CustomersProps {
  readonly method: Method
  readonly signer: Signer
  readonly period: Values
}

const COLUMNS = ['Customer', 'Calls', 'Minutes', 'Answer-seizure ratio', 'Average length']

/** Answers name no customer, so customers are asked for one by one, by the ids that somebody enters. */
export function Customers({ method, signer, period }: CustomersProps) {
  const [ids, setIds] = useState('')
  const [{ value, problem, isUnderWay }, put] = useAnswer<Readonly<Record<string, string>>[]>()
  const submit = (event: Event) => {
    event.preventDefault()
    return put(async () => {
      const rows: Readonly<Record<string, string>>[] = []
      for (const id of ids.split(/\D+/).filter(Boolean)) {
        const { all } = await tallyCalls({ method, signer }, { ...period, s_user: id }, () => {})
        rows.push({
          Customer: id,
          Calls: all.calls.toLocaleString(),
          Minutes: Math.round(all.seconds / 60).toLocaleString(),
          'Answer-seizure ratio': answerSeizureRatio(all),
          'Average length': averageLength(all),
        })
      }
      return rows
    })
  }
  return (
    <section class="card" aria-label="Customers">
      <h2>Customers</h2>
      <form class="row" onSubmit={submit}>
        <Field
          label="Ids of customers"
          value={ids}
          onInput={setIds}
          placeholder="10, 11"
          hint="The API does not list customers: name those that you want compared."
        />
        <button type="submit" disabled={isUnderWay}>
          Compare
        </button>
      </form>
      {problem && <Message kind="error" text={problem} />}
      {value && value.length > 0 && <Table caption="Customers" columns={COLUMNS} rows={value} />}
    </section>
  )
}
