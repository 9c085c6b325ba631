import { useEffect } from 'preact/hooks'
import type { LiveCallsAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { useQuery } from '../api/use-query.ts'
import { formatLength } from '../base/format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { Loaded } from '../states/loaded.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const REFRESH_MS = 5000

/** Counting more calls than these costs too many units for every five seconds. */
const OFTEN_COUNTED = 1000
const SELDOM_MS = 60_000

/** Calls in progress, refreshed every five seconds while visible; every minute if there are very many. */
export function LiveCalls({ session }: { readonly session: SessionAnswer }) {
  const query = useQuery('/live-calls')
  const every = (query.value?.total ?? 0) > OFTEN_COUNTED ? SELDOM_MS : REFRESH_MS
  useEffect(() => {
    const timer = setInterval(() => document.hidden || query.again(), every)
    return () => clearInterval(timer)
  }, [query.again, every])
  // The operator decides whether customers see this.
  if (session.type === 'user' && query.problem?.code === 'forbidden') return null
  return (
    <Card title="Calls in progress">
      <Loaded query={query} what="the calls in progress" lines={3}>
        {({ calls, total }) =>
          calls.length === 0 ? (
            <EmptyState title="No call is in progress" />
          ) : (
            <Listed calls={calls} total={total} session={session} />
          )
        }
      </Loaded>
    </Card>
  )
}

interface ListedProps extends LiveCallsAnswer {
  readonly session: SessionAnswer
}

type LiveCall = LiveCallsAnswer['calls'][number]

const lengthOf = ({ seconds }: LiveCall): string => (seconds === null ? 'Ringing' : formatLength(seconds))

const CUSTOMER: TypedColumn<LiveCall> = {
  title: 'Customer',
  text: ({ customer }) => customer?.name ?? 'Unknown',
  show: ({ customer }) => (customer ? <CustomerLink {...customer} /> : 'Unknown'),
}

/** A plain user has no customers, and no page of one. */
const Listed = ({ calls, total, session }: ListedProps) => (
  <>
    <Table
      label="Calls in progress"
      columns={[
        ...(session.type === 'user' ? [] : [CUSTOMER]),
        { title: 'From', text: ({ from }) => from },
        { title: 'To', text: ({ to }) => to },
        { title: 'Destination', text: ({ destination }) => destination },
        {
          title: 'Length',
          number: lengthOf,
          show: (call) => (call.seconds === null ? <Badge tone="warn" text="Ringing" /> : lengthOf(call)),
        },
      ]}
      rows={calls}
    />
    {total > calls.length && <p class="muted">{`The oldest ${calls.length} of ${total}.`}</p>}
  </>
)
