import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded, type LoadedProps } from './loaded.tsx'
import { Remedy } from './remedy.tsx'

/** Sums of calls when ready. A range with too many days or calls shows the remedy, not a failure. */
export const LoadedSums = <T,>({ query, ...rest }: LoadedProps<T>) =>
  query.problem?.code === 'invalid' ? (
    <EmptyState title="Too many days or calls to sum up here" text={query.problem.message}>
      <Remedy problem={query.problem} />
    </EmptyState>
  ) : (
    <Loaded query={query} {...rest} />
  )
