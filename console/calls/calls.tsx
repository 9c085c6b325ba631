import { RangeChoice } from '../links/range-choice.tsx'
import type { PartProps } from '../part.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { CallList } from './call-list.tsx'

export const Calls = ({ place, session, range }: PartProps) => (
  <div class="stack">
    <PageHeader title="Calls">
      <RangeChoice range={range} />
    </PageHeader>
    <CallList place={place} session={session} range={range} />
  </div>
)
