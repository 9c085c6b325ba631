import { useId } from 'preact/hooks'
import { goWith } from '../base/route.ts'
import type { PartProps } from '../base/section.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { Documents } from './documents.tsx'
import { MonthView } from './month-view.tsx'

const VIEWS = [
  ['documents', 'Documents'],
  ['month', 'Month'],
] as const

/** The documents, and for those who bill customers the month that becomes documents. */
export function Billing({ place, session }: PartProps) {
  const id = useId()
  const isMonth = session.type !== 'user' && place.values['view'] === 'month'
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
          onChange={(view) => goWith({ view, after: '' })}
        />
      )}
      <TabPanel id={id} value={isMonth ? 'month' : 'documents'}>
        {isMonth ? (
          <MonthView place={place} session={session} />
        ) : (
          <Documents place={place} session={session} />
        )}
      </TabPanel>
    </div>
  )
}
