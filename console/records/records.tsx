import type { PartProps } from '../part.ts'
import { goWith } from '../place.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { RecordList } from './record-list.tsx'
import { RECORD_VIEWS } from './record-views.ts'

/** A part of the console that is a list of records: its name is their kind. */
export const Records = ({ place: { tab, values } }: PartProps) => (
  <div class="stack">
    <PageHeader title={RECORD_VIEWS[tab]?.title ?? tab} text={RECORD_VIEWS[tab]?.text} />
    <RecordList kind={tab} after={values['after'] ?? ''} onPage={(after) => goWith({ after })} />
  </div>
)
