import type { ComponentChildren } from 'preact'
import type { Reading } from '../api/use-reading.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

export interface LoadedProps<T> {
  readonly reading: Reading<T>
  /** The content that is loading, such as "the calls". */
  readonly what: string
  readonly lines?: number
  readonly block?: boolean
  readonly children: (value: T) => ComponentChildren
}

/** The content once it is there; before that its shape, or what failed. */
export function Loaded<T>({ reading, what, lines = 5, block = false, children }: LoadedProps<T>) {
  const { value, problem, again } = reading
  if (problem) return <RefusalNotice problem={problem} onRetry={again} />
  if (value === undefined) return <Skeleton what={what} lines={lines} block={block} />
  return <>{children(value)}</>
}
