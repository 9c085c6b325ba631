import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { FailedImportsAnswer } from '#lib/api/console/answers/switches.ts'
import { act } from '../api/console-api.ts'
import { useQuery } from '../api/use-query.ts'
import { dash, formatCount } from '../base/format.ts'
import { navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { ActionButton } from '../fields/action.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { ListCard } from '../tables/list-card.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useToast } from '../ui/toast.tsx'
import { FileUpload } from './file-upload.tsx'

type FailedImport = FailedImportsAnswer['imports'][number]

export function Imports({ route, session }: SectionProps) {
  const query = useQuery('/failed-imports')
  const shown = query.value?.imports.find(({ id }) => id === route.values['file'])
  return (
    <div class="stack">
      <PageHeader
        title="Imports"
        text="Files of accounts, devices and what belongs to them; and files in the bucket whose last import failed or refused rows."
      />
      {session.actions.includes('imports') && <FileUpload kind={route.values['of'] ?? ''} />}
      <ListCard
        title="Failed files of the bucket, the last 20"
        label="Failed imports"
        query={query}
        rows="imports"
        none="No import has failed"
        noneText="Every file in the bucket is imported whole."
        columns={() => [
          {
            title: 'File',
            text: ({ file }) => file,
            show: ({ id, file }) => <OpenButton text={file} opens={{ file: id }} />,
          },
          { title: 'Kind', text: ({ kind }) => kind },
          { title: 'When', text: ({ at }) => at },
          { title: 'Refused', text: refusedIn },
          { title: 'Reason', text: ({ reason }) => reason },
        ]}
      />
      {shown && <FilePanel key={shown.id} shown={shown} session={session} onDone={query.again} />}
    </div>
  )
}

/** Without refused rows, the file's content does not fit its name, or its removals need permission. */
const refusedIn = ({ rows, refused }: Pick<FailedImport, 'rows' | 'refused'>): string =>
  rows && refused ? `${formatCount(refused)} of ${formatCount(rows)} rows` : 'the whole file'

function remedyFor({ rejected, refused }: FailedImport): string {
  if (rejected === null)
    return 'Remove the reason, then put the file into the bucket again under the same name.'
  return refused
    ? 'The report in the bucket has every refused row with its reason. Correct these rows, then put the file into the bucket again under the same name. Rows already imported are not changed.'
    : 'The report in the bucket has the changes that need permission. Give it by importing the file at a terminal with --allow-removals, or correct the file and put it into the bucket again.'
}

interface FilePanelProps {
  readonly shown: FailedImport
  readonly session: SessionAnswer
  readonly onDone: () => void
}

function FilePanel({ shown, session, onDone }: FilePanelProps) {
  const showToast = useToast()
  const close = () => navigate({ file: '' })
  // For a file that does not come again, for example because it was put under another name.
  const dismiss = async () => {
    await act('DELETE', `/failed-imports/${shown.id}`)
    showToast('The file is off the list.')
    close()
    onDone()
  }
  return (
    <SidePanel title="Failed import" onClose={close}>
      <Facts
        facts={[
          ['File', shown.file],
          ['Kind', shown.kind],
          ['When', shown.at],
          ['Refused', refusedIn(shown)],
          ['Reason', shown.reason],
          ['Report', dash(shown.rejected)],
        ]}
      />
      <h3>What to do</h3>
      <p>{remedyFor(shown)}</p>
      {session.actions.includes('imports') && <ActionButton kind="secondary" text="Dismiss" run={dismiss} />}
    </SidePanel>
  )
}
