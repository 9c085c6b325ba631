import { useState } from 'preact/hooks'
import type { SuspendedAnswer, SuspenseAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { dash } from '../base/format.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionButton } from '../fields/action.tsx'
import { ChipLinks } from '../links/chip-links.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { PageLinks } from '../links/page-links.tsx'
import { RecordButton } from '../records/record-button.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Code } from '../ui/code.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { reasonWords } from './reasons.ts'
import { dropSuspended, retriedAll, retriedOne } from './suspense-acts.ts'

export function Suspense({ route, session }: SectionProps) {
  const { reason = '', after = '', entry = '' } = route.values
  const query = useQuery('/suspense', { reason, after })
  const close = () => navigate({ entry: '' })
  return (
    <div class="stack">
      <PageHeader
        title="Suspense"
        text="CDRs that could not be stored yet. They are retried after each import that may cure them."
      />
      <Loaded query={query} what="the suspended CDRs" lines={8}>
        {(answer) => (
          <Listed
            {...{ answer, reason, after }}
            mayRetry={session.actions.includes('suspense')}
            onChanged={query.again}
          />
        )}
      </Loaded>
      {entry !== '' && (
        <EntryPanel
          key={entry}
          id={entry}
          session={session}
          onClose={close}
          onDone={() => {
            close()
            query.again()
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
  readonly mayRetry: boolean
  readonly onChanged: () => void
}

const titleOf = ({ reason }: { readonly reason: string }): string => reasonWords(reason).title

const Listed = ({ answer: { entries, reasons, next }, reason, after, mayRetry, onChanged }: ListedProps) => (
  <>
    {reasons.length > 0 && (
      <ChipLinks
        label="Reasons"
        name="reason"
        value={reason}
        chips={[
          ['', 'All reasons', reasons.reduce((sum, { count }) => sum + count, 0)],
          ...reasons.map((one) => [one.reason, titleOf(one), one.count] as const),
        ]}
      />
    )}
    {reason !== '' && entries.length > 0 && (
      <Notice tone="info" title={reasonWords(reason).title}>
        <p>{reasonWords(reason).remedy}</p>
        {mayRetry && <RetryAll reason={reason} onDone={onChanged} />}
      </Notice>
    )}
    <Card title="Suspended CDRs">
      <Table
        empty={
          <EmptyList
            icon="check"
            title="No suspended CDRs"
            text="CDRs that cannot be stored wait here."
            narrowedBy={{ reason: reason && titleOf({ reason }), after }}
          />
        }
        label="Suspended CDRs"
        columns={COLUMNS}
        rows={entries}
      />
      <PageLinks after={after} next={next} />
    </Card>
  </>
)

const COLUMNS: readonly TypedColumn<SuspenseAnswer['entries'][number]>[] = [
  {
    title: 'Reason',
    text: titleOf,
    show: (entry) => <OpenButton text={titleOf(entry)} opens={{ entry: entry.id }} />,
  },
  { title: 'Detail', text: ({ detail }) => detail },
  { title: 'Call at', text: ({ start }) => start },
  { title: 'From', text: ({ from }) => from },
  { title: 'To', text: ({ to }) => to },
  { title: 'Switch', text: ({ source }) => source, rank: 2 },
  { title: 'Since', text: ({ since }) => since, rank: 3 },
]

interface EntryPanelProps {
  readonly id: string
  readonly session: SessionAnswer
  readonly onClose: () => void
  readonly onDone: () => void
}

function EntryPanel({ id, session, onClose, onDone }: EntryPanelProps) {
  const query = useQuery(`/suspense/${encodeURIComponent(id)}`)
  return (
    <SidePanel title="Suspended CDR" onClose={onClose}>
      <Loaded query={query} what="the CDR" lines={8}>
        {({ entry, format, text }) => (
          <>
            <Notice tone="warn" title={`${reasonWords(entry.reason).title}: ${entry.detail}`}>
              {reasonWords(entry.reason).remedy}
            </Notice>
            <Facts
              facts={[
                ['Call at', dash(entry.start)],
                ['From', dash(entry.from)],
                ['To', dash(entry.to)],
                ['Switch', `${entry.source}, as ${format}`],
                ['Suspended since', entry.since],
                ['Tries', String(entry.tries)],
              ]}
            />
            {session.actions.includes('suspense') && (
              <>
                {entry.reason === 'unknown_account' && <AddDevice entry={entry} onDone={onDone} />}
                {entry.reason === 'unknown_rate' && <AddRate entry={entry} />}
                <EntryActions id={entry.id} isCured={!CURES.has(entry.reason)} onDone={onDone} />
              </>
            )}
            <details>
              <summary>As the switch wrote it</summary>
              <Code>{text === '' ? 'The text is too large for the table.' : text}</Code>
            </details>
          </>
        )}
      </Loaded>
    </SidePanel>
  )
}

/** The reasons that have a button for their cure: before it, a retry cannot succeed. */
const CURES: ReadonlySet<string> = new Set(['unknown_account', 'unknown_rate'])

interface CureProps {
  readonly entry: SuspendedAnswer['entry']
}

/**
 * The detail names tariff and number. The form starts with the whole number, which has the prefix, and with
 * the day of the call. Then the CDRs without a rate are retried, and their list is shown.
 */
function AddRate({ entry: { detail, start } }: CureProps) {
  const [, tariff, number = ''] = /tariff (\d+) of .* has no rate for (\d+)/.exec(detail) ?? []
  const starts = start === null ? '' : `${start.slice(0, 10)} 00:00:00`
  return tariff ? (
    <a
      class="button primary"
      href={linkToRoute(['tariffs', tariff], { price: number, starts, retry: 'yes' })}
    >
      Add this rate
    </a>
  ) : null
}

/** Retries page by page. CDRs that are still suspended stay in the list. */
function RetryAll({ reason, onDone }: { readonly reason: string; readonly onDone: () => void }) {
  const showToast = useToast()
  const retry = async () => {
    showToast(await retriedAll(reason))
    onDone()
  }
  return <ActionButton kind="secondary" text="Retry all of this reason" run={retry} />
}

/** Names and addresses without a device are quoted in the detail: the first one is suggested. */
function AddDevice({ entry: { detail }, onDone }: CureProps & Pick<EntryPanelProps, 'onDone'>) {
  const showToast = useToast()
  const [hint = ''] = [...detail.matchAll(/"([^"]+)"/g)].flatMap(([, text]) => text ?? [])
  const isAddress = /^[\d.]{7,}$|:/.test(hint)
  return (
    <RecordButton
      isPrimary
      text="Add this device"
      icon="plus"
      kind="devices"
      of="0"
      suggested={isAddress ? { authentication: 'ip', ipaddr: hint, host: hint } : { name: hint }}
      onDone={async () => {
        showToast(await retriedAll('unknown_account'))
        onDone()
      }}
    />
  )
}

interface EntryActionsProps extends Pick<EntryPanelProps, 'id' | 'onDone'> {
  readonly isCured: boolean
}

/** A retry shows its result. Dropping asks first. */
function EntryActions({ id, isCured, onDone }: EntryActionsProps) {
  const showToast = useToast()
  const action = useAction()
  const [outcome, setOutcome] = useState('')
  const [isDropping, setDropping] = useState(false)
  const retry = () =>
    action.run(async () => {
      const { isStored, reason, detail } = await retriedOne(id)
      if (!isStored) return setOutcome(`Still suspended. ${reasonWords(reason ?? '').title}: ${detail ?? ''}`)
      showToast('The CDR is stored.')
      onDone()
    })
  const drop = () =>
    action.run(async () => {
      await dropSuspended(id)
      showToast('The CDR was dropped.')
      onDone()
    })
  return (
    <>
      {outcome && <Notice tone="warn" title={outcome} />}
      {action.problem && <RefusalNotice problem={action.problem} />}
      {isDropping ? (
        <Notice tone="warn" title="The CDR is dropped for good. No customer is billed for it.">
          <span class="cluster">
            <Button kind="danger" isBusy={action.isUnderWay} onClick={drop}>
              Drop this CDR
            </Button>
            <Button onClick={() => setDropping(false)}>Keep it</Button>
          </span>
        </Notice>
      ) : (
        <span class="cluster">
          <Button kind={isCured ? 'primary' : 'secondary'} isBusy={action.isUnderWay} onClick={retry}>
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
