import type { ComponentChildren } from 'preact'
import type { Reading } from '../api/use-reading.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from './loaded.tsx'

interface LoadedSumsProps<T> {
  readonly reading: Reading<T>
  readonly what: string
  readonly lines?: number
  readonly children: (value: T) => ComponentChildren
}

/** Sums of calls once they are there. A range that has too many days or calls is no failure: what to do instead is said. */
export const LoadedSums = <T,>({ reading, ...rest }: LoadedSumsProps<T>) =>
  reading.problem?.code === 'invalid' ? (
    <EmptyState title="Too many days or calls to sum up here" text={reading.problem.message} />
  ) : (
    <Loaded reading={reading} {...rest} />
  )
