import { useId } from 'preact/hooks'
import { navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { BankFileView } from './bank-file.tsx'
import { Documents } from './documents.tsx'
import { MonthView } from './month-view.tsx'

const VIEWS = [
  ['documents', 'Documents'],
  ['month', 'Month'],
  ['bank-file', 'Bank file'],
] as const

const TEXTS = {
  documents: 'The newest first, each amount in its own currency.',
  month: 'The amounts of a month for each customer, and its documents.',
  'bank-file': 'The payments of a statement of your bank.',
} as const

/** The documents, and for those who bill customers the month that becomes documents, and what a bank says. */
export function Billing({ route, session }: SectionProps) {
  const id = useId()
  const wanted = VIEWS.map(([view]) => view).find((view) => view === route.values['view'])
  const view = session.type === 'user' ? 'documents' : (wanted ?? 'documents')
  return (
    <div class="stack">
      <PageHeader title="Billing" text={TEXTS[view]} />
      {session.type !== 'user' && (
        <TabList
          id={id}
          label="Documents, a month or a bank file"
          tabs={VIEWS}
          value={view}
          onChange={(next) => navigate({ view: next, after: '' })}
        />
      )}
      <TabPanel id={id} value={view}>
        {view === 'documents' && <Documents route={route} session={session} />}
        {view === 'month' && <MonthView route={route} session={session} />}
        {view === 'bank-file' && <BankFileView />}
      </TabPanel>
    </div>
  )
}
