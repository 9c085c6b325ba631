import { useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { RetriedAnswer, SuspendedAnswer, SuspenseAnswer } from '#lib/api/console/answers/suspense.ts'
import { act } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { useReading } from '../api/use-reading.ts'
import { dash } from '../format.ts'
import { OpenButton } from '../links/open-button.tsx'
import { PageLinks } from '../links/page-links.tsx'
import type { PartProps } from '../part.ts'
import { goWith } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

/** CDRs that cannot be billed yet, by reason. */
export function Suspense({ place, session }: PartProps) {
  const { reason = '', after = '', entry = '' } = place.values
  const reading = useReading<SuspenseAnswer>('/suspense', { reason, after })
  const close = () => goWith({ entry: '' })
  return (
    <div class="stack">
      <PageHeader
        title="Suspense"
        text="CDRs that could not be stored yet. They are retried after each import that may cure them."
      />
      <Loaded reading={reading} what="the suspended CDRs" lines={8}>
        {(answer) => <Listed answer={answer} reason={reason} after={after} />}
      </Loaded>
      {entry !== '' && (
        <EntryPanel
          key={entry}
          id={entry}
          session={session}
          onClose={close}
          onDone={() => {
            close()
            reading.again()
          }}
        />
      )}
    </div>
  )
}

interface ListedProps {
  readonly answer: SuspenseAnswer
  readonly reason: string
  readonly after: string
}

const Listed = ({ answer: { entries, reasons, next }, reason, after }: ListedProps) => (
  <>
    {reasons.length > 0 && <Reasons reasons={reasons} chosen={reason} />}
    <Card title="Suspended CDRs">
      <Table
        empty={<EmptyState icon="check" title="Nothing is suspended" text="Every CDR that came is billed." />}
        label="Suspended CDRs"
        columns={COLUMNS}
        rows={entries.map(rowOf)}
      />
      <PageLinks after={after} next={next} />
    </Card>
  </>
)

interface ReasonsProps {
  readonly reasons: SuspenseAnswer['reasons']
  readonly chosen: string
}

const Reasons = ({ reasons, chosen }: ReasonsProps) => (
  <fieldset class="filters cluster" aria-label="Reasons">
    {[{ reason: '', count: reasons.reduce((sum, { count }) => sum + count, 0) }, ...reasons].map((one) => (
      <button
        key={one.reason}
        type="button"
        class="chip"
        aria-pressed={one.reason === chosen}
        onClick={() => goWith({ reason: one.reason, after: '' })}
      >
        {one.reason === '' ? 'all reasons' : one.reason.replaceAll('_', ' ')} <strong>{one.count}</strong>
      </button>
    ))}
  </fieldset>
)

const COLUMNS = [
  {
    key: 'since',
    title: 'Since',
    isNumber: false,
    show: ({ id = '', since }: Readonly<Record<string, string>>) => (
      <OpenButton text={since} opens={{ entry: id }} />
    ),
  },
  { key: 'reason', title: 'Reason' },
  { key: 'detail', title: 'Detail' },
  { key: 'source', title: 'Switch' },
  { key: 'from', title: 'From', isNumber: false },
  { key: 'to', title: 'To', isNumber: false },
]

const rowOf = ({ id, since, reason, detail, source, from, to }: SuspenseAnswer['entries'][number]) => ({
  id,
  since,
  reason: reason.replaceAll('_', ' '),
  detail,
  source,
  from: dash(from),
  to: dash(to),
})

interface EntryPanelProps {
  readonly id: string
  readonly session: SessionAnswer
  readonly onClose: () => void
  readonly onDone: () => void
}

function EntryPanel({ id, session, onClose, onDone }: EntryPanelProps) {
  const reading = useReading<SuspendedAnswer>(`/suspense/${encodeURIComponent(id)}`)
  return (
    <SidePanel title="Suspended CDR" onClose={onClose}>
      <Loaded reading={reading} what="the CDR" lines={8}>
        {({ entry, format, text }) => (
          <>
            <Facts
              facts={[
                ['Reason', entry.reason.replaceAll('_', ' ')],
                ['Detail', entry.detail],
                ['Since', entry.since],
                ['Switch', `${entry.source}, as ${format}`],
                ['Tries', String(entry.tries)],
              ]}
            />
            <h3>As the switch wrote it</h3>
            <Code>{text === '' ? 'The text is too large for the table.' : text}</Code>
            {session.actions.includes('suspense') && <EntryActions id={entry.id} onDone={onDone} />}
          </>
        )}
      </Loaded>
    </SidePanel>
  )
}

/** A retry shows its result. Dropping asks first. */
function EntryActions({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const tell = useToast()
  const action = useAction()
  const [outcome, setOutcome] = useState('')
  const [isDropping, setDropping] = useState(false)
  const retry = () =>
    action.run(async () => {
      const { isStored, reason, detail } = await act<RetriedAnswer>('POST', `/suspense/${id}/retry`)
      if (!isStored)
        return setOutcome(`Still suspended: ${reason?.replaceAll('_', ' ') ?? ''} (${detail ?? ''})`)
      tell('The CDR is stored.')
      onDone()
    })
  const drop = () =>
    action.run(async () => {
      await act('DELETE', `/suspense/${id}`)
      tell('The CDR was dropped.')
      onDone()
    })
  return (
    <>
      {outcome && <Notice tone="warn" title={outcome} />}
      {action.problem && <RefusalNotice problem={action.problem} />}
      {isDropping ? (
        <Notice tone="warn" title="The CDR is dropped for good. Nobody is billed for it.">
          <span class="cluster">
            <Button kind="danger" isBusy={action.isUnderWay} onClick={drop}>
              Drop this CDR
            </Button>
            <Button onClick={() => setDropping(false)}>Keep it</Button>
          </span>
        </Notice>
      ) : (
        <span class="cluster">
          <Button kind="primary" isBusy={action.isUnderWay} onClick={retry}>
            Retry
          </Button>
          <Button kind="danger" onClick={() => setDropping(true)}>
            Drop …
          </Button>
        </span>
      )}
    </>
  )
}
