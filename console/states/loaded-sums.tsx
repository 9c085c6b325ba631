import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded, type LoadedProps } from './loaded.tsx'

/** Sums of calls once they are there. A range with too many days or calls is not a failure: the remedy is shown. */
export const LoadedSums = <T,>({ reading, ...rest }: LoadedProps<T>) =>
  reading.problem?.code === 'invalid' ? (
    <EmptyState title="Too many days or calls to sum up here" text={reading.problem.message} />
  ) : (
    <Loaded reading={reading} {...rest} />
  )
