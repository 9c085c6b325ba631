import type { PartProps } from '../part.ts'
import { goWith } from '../place.ts'
import { RecordList } from './record-list.tsx'

/** A part of the console that is a list of records: its name is their kind. */
export const Records = ({ place: { tab, values } }: PartProps) => (
  <div class="stack">
    <RecordList kind={tab} isPart after={values['after'] ?? ''} onPage={(after) => goWith({ after })} />
  </div>
)
