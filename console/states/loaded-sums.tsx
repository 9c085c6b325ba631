import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded, type LoadedProps } from './loaded.tsx'

/** Sums of calls when ready. A range with too many days or calls shows the remedy, not a failure. */
export const LoadedSums = <T,>({ reading, ...rest }: LoadedProps<T>) =>
  reading.problem?.code === 'invalid' ? (
    <EmptyState title="Too many days or calls to sum up here" text={reading.problem.message} />
  ) : (
    <Loaded reading={reading} {...rest} />
  )
