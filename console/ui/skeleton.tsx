import { useLabels } from '../base/ui-labels.ts'

interface SkeletonProps {
  /** The content that is loading, such as "the totals". */
  readonly what?: string
  readonly lines?: number
  /** One large surface, as of a chart. */
  readonly block?: boolean
}

/** The shape of content that is loading. */
export const Skeleton = ({ what = '', lines = 3, block = false }: SkeletonProps) => (
  <div class={`skeleton${block ? ' block' : ''}`} role="status">
    <span class="unseen">{useLabels().loading(what)}</span>
    {Array.from({ length: block ? 1 : lines }, (_, index) => (
      <i key={index} />
    ))}
  </div>
)
