import { useState } from 'preact/hooks'
import type { AddedIntakeAnswer, IntakesAnswer } from '#lib/api/console/answers/switches.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute, navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionForm, QuestionPanel } from '../fields/action.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { lazySection } from '../states/lazy.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Menu } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'

const SetUp = lazySection(() => import('./set-up.tsx').then((module) => module.SetUp))

export function SwitchesSection({ route }: SectionProps) {
  const query = useQuery('/intakes')
  const [revoked, setRevoked] = useState('')
  const showToast = useToast()
  const { switch: shown = '' } = route.values
  const revoke = async () => {
    await act('DELETE', `/intakes/${encodeURIComponent(revoked)}`)
    showToast(`The switch ${revoked} is revoked.`)
    query.again()
  }
  return (
    <div class="stack">
      <PageHeader
        title="Switches"
        text="Each sends its CDRs under a name and a secret of its own, and can do nothing else."
      >
        <Button opens kind="primary" icon="plus" onClick={() => navigate({ add: 'yes' })}>
          Add a switch
        </Button>
      </PageHeader>
      <ListCard
        title="Switches"
        query={query}
        rows="intakes"
        none="No switch sends CDRs over HTTP yet"
        noneText="Add one, and paste the file that makes it send them."
        columns={() => COLUMNS}
        actions={({ name }) => (
          <Menu
            label={`Actions of the switch ${name}`}
            items={[{ title: 'Revoke …', isDangerous: true, onChoose: () => setRevoked(name) }]}
          />
        )}
        below={whatWasRead}
      />
      {route.values['add'] && <AddPanel onEnd={query.again} />}
      {shown !== '' && (
        <SidePanel title={`The switch ${shown}`} onClose={() => navigate({ switch: '' })}>
          <SetUp name={shown} />
        </SidePanel>
      )}
      {revoked !== '' && (
        <QuestionPanel
          title={`Revoke the switch ${revoked}`}
          says="Its CDRs are refused from now on. Its stored calls stay. It comes back with another secret only."
          text={`Revoke ${revoked}`}
          run={revoke}
          onClose={() => setRevoked('')}
        />
      )}
    </div>
  )
}

const whatWasRead = ({ intakes, read }: IntakesAnswer) =>
  intakes.length > 0 && (
    <p class="muted">
      {`Looked for among the last ${read.calls} calls of ${read.days} days, and the first ${read.suspended} suspended CDRs.`}
    </p>
  )

const COLUMNS: readonly TypedColumn<IntakesAnswer['intakes'][number]>[] = [
  {
    title: 'Name',
    text: ({ name }) => name,
    show: ({ name }) => <OpenButton text={name} opens={{ switch: name }} />,
  },
  { title: 'Time zone', text: ({ zone }) => zone ?? 'of the installation' },
  {
    title: 'Clock',
    text: ({ clock }) => clock,
    show: ({ clock, isClockOff }) =>
      isClockOff ? <Badge tone="warn" text={`${clock}: let NTP set it`} /> : clock,
  },
  { title: 'Last call', text: ({ lastCall }) => lastCall },
  {
    title: 'Suspended CDRs',
    number: ({ suspended }) => suspended,
    show: ({ suspended }) => (suspended === 0 ? '0' : <a href={linkToRoute(['suspense'])}>{suspended}</a>),
  },
  { title: 'Added', text: ({ added }) => added, rank: 2 },
]

/** The secret is shown once. */
function AddPanel({ onEnd }: { readonly onEnd: () => void }) {
  const onClose = () => {
    navigate({ add: '' })
    onEnd()
  }
  const [added, setAdded] = useState<AddedIntakeAnswer>()
  return (
    <SidePanel title="Add a switch" onClose={onClose}>
      {added ? (
        <Added added={added} onClose={onClose} />
      ) : (
        <ActionForm
          text="Add"
          fields={FIELDS}
          run={async (_once, { name = '', zone = '' }) =>
            setAdded(await act('POST', '/intakes', { name: name.trim(), zone: zone.trim() }))
          }
        />
      )}
    </SidePanel>
  )
}

const FIELDS = [
  { name: 'name', label: 'Name', required: true, hint: 'Such as pbx1.' },
  {
    name: 'zone',
    label: 'Time zone',
    placeholder: 'Europe/Berlin',
    hint: 'The zone of its CDRs. Blank: that of the installation.',
  },
]

const Added = ({
  added: { name, secret },
  onClose,
}: {
  readonly added: AddedIntakeAnswer
  readonly onClose: () => void
}) => (
  <>
    <Notice tone="good" title="Added. Copy the secret now: it is not shown again.">
      <CopyButton text={secret ?? ''} what="the secret" />
    </Notice>
    <Facts
      facts={[
        ['Username', <code key="name">{name}</code>],
        ['Password', <code key="secret">{secret}</code>],
      ]}
    />
    <SetUp name={name} secret={secret ?? undefined} />
    <Button onClick={onClose}>Done</Button>
  </>
)
