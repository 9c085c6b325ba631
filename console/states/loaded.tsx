import type { ComponentChildren } from 'preact'
import type { RefusedRequest } from '../api/console-api.ts'
import type { ApiQuery } from '../api/use-query.ts'
import { useLabels } from '../base/ui-labels.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { Remedy } from './remedy.tsx'

export interface LoadedProps<T> {
  readonly query: ApiQuery<T>
  /** The content that is loading, such as "the calls". */
  readonly what?: string
  readonly lines?: number
  readonly block?: boolean
  readonly children: (value: T) => ComponentChildren
}

/** The content once it is there; before that its shape, or what failed. */
export function Loaded<T>({ query, what = '', lines = 5, block = false, children }: LoadedProps<T>) {
  const { value, problem, again } = query
  const { refusal } = useLabels()
  if (problem?.code === 'conflict' && !refusal) return <NotSetUp problem={problem} onRetry={again} />
  if (problem) return <RefusalNotice problem={problem} onRetry={again} />
  if (value === undefined) return <Skeleton what={what} lines={lines} block={block} />
  return <>{children(value)}</>
}

/** No request has failed: the message names what is missing. */
interface NotSetUpProps {
  readonly problem: RefusedRequest
  readonly onRetry: () => void
}

const NotSetUp = ({ problem, onRetry }: NotSetUpProps) => (
  <Notice tone="warn" title={problem.message}>
    <span class="cluster">
      <Remedy problem={problem} />
      <Button small onClick={onRetry}>
        Retry
      </Button>
    </span>
  </Notice>
)
