import { useId } from 'preact/hooks'
import { navigate } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { Documents } from './documents.tsx'
import { MonthView } from './month-view.tsx'

const VIEWS = [
  ['documents', 'Documents'],
  ['month', 'Month'],
] as const

/** The documents, and for those who bill customers the month that becomes documents. */
export function Billing({ route, session }: SectionProps) {
  const id = useId()
  const isMonth = session.type !== 'user' && route.values['view'] === 'month'
  return (
    <div class="stack">
      <PageHeader
        title="Billing"
        text={
          isMonth
            ? 'What a month bills to each customer, and the documents that it becomes.'
            : 'The newest first, each amount in its own currency.'
        }
      />
      {session.type !== 'user' && (
        <TabList
          id={id}
          label="Documents or a month"
          tabs={VIEWS}
          value={isMonth ? 'month' : 'documents'}
          onChange={(view) => navigate({ view, after: '' })}
        />
      )}
      <TabPanel id={id} value={isMonth ? 'month' : 'documents'}>
        {isMonth ? (
          <MonthView route={route} session={session} />
        ) : (
          <Documents route={route} session={session} />
        )}
      </TabPanel>
    </div>
  )
}
