import { useEffect, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { findAll } from '../api/xml.ts'
import { Message } from '../views/message.tsx'
import { Table } from '../views/table.tsx'
import { useAnswer } from '../views/use-answer.ts'

const PAUSE = 5000

const COLUMNS = ['status', 'duration', 'src', 'user', 'localized_dst', 'destination_name', 'provider_name']

/** The calls in progress, asked for again every five seconds while somebody looks. */
export function ActiveCalls({ ask }: { readonly ask: Ask }) {
  const [{ value = [], problem }, put] = useAnswer<readonly AnswerRow[]>()
  const [refreshes, setRefreshes] = useState(true)
  useEffect(() => {
    const look = () =>
      put(async () => findAll(await ask('active_calls_get'), 'active_call').map((call) => answerRow(call)))
    look()
    const timer = refreshes ? setInterval(() => document.hidden || look(), PAUSE) : undefined
    return () => clearInterval(timer)
  }, [ask, put, refreshes])
  const columns = COLUMNS.filter((column) => value.some((row) => column in row))
  return (
    <section class="card" aria-label="Calls in progress">
      <div class="choices">
        <h2>Calls in progress</h2>
        <button type="button" aria-pressed={refreshes} onClick={() => setRefreshes(!refreshes)}>
          Refresh
        </button>
      </div>
      {problem && <Message kind="error" text={problem} />}
      {value.length > 0 && <Table caption="Calls in progress" columns={columns} rows={value} />}
      {value.length === 0 && !problem && <p>No call is in progress.</p>}
    </section>
  )
}
