import { useEffect, useState } from 'preact/hooks'
import { type AnswerRow, answerRow } from '#lib/xml/answer-rows.ts'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { findAll } from '../api/xml.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Table, type TableColumn } from '../ui/table.tsx'

const REFRESH_MS = 5000

const COLUMNS: readonly TableColumn[] = [
  { key: 'user', title: 'Customer' },
  { key: 'src', title: 'From' },
  { key: 'localized_dst', title: 'To' },
  { key: 'destination_name', title: 'Destination' },
  { key: 'provider_name', title: 'Provider' },
  { key: 'duration', title: 'Duration' },
  {
    key: 'status',
    title: 'Status',
    show: ({ status = '' }) => <Badge tone={status === 'Answered' ? 'good' : 'warn'} text={status} />,
  },
]

/** The calls in progress, refreshed every five seconds while the page is visible. */
export function ActiveCalls({ ask }: { readonly ask: Ask }) {
  const [{ value, problem }, put] = useAnswer<readonly AnswerRow[]>()
  const [refreshes, setRefreshes] = useState(true)
  useEffect(() => {
    const look = () =>
      put(async () => findAll(await ask('active_calls_get'), 'active_call').map((call) => answerRow(call)))
    look()
    const timer = refreshes ? setInterval(() => document.hidden || look(), REFRESH_MS) : undefined
    return () => clearInterval(timer)
  }, [ask, put, refreshes])
  const pause = (
    <Button small onClick={() => setRefreshes(!refreshes)}>
      {refreshes ? 'Pause' : 'Resume'}
    </Button>
  )
  return (
    <Card title="Calls in progress" beside={pause}>
      {problem && <ProblemNotice text={problem} />}
      {!value && !problem && <Skeleton what="the calls in progress" />}
      {value?.length === 0 && <EmptyState title="No call is in progress" />}
      {value && value.length > 0 && (
        <Table
          label="Calls in progress"
          columns={COLUMNS.filter(({ key }) => value.some((row) => key in row))}
          rows={value}
        />
      )}
    </Card>
  )
}
