import type { RefusedRequest } from '../api/console-api.ts'
import { useLabels } from '../base/ui-labels.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Remedy } from './remedy.tsx'

interface RefusalNoticeProps {
  readonly problem: RefusedRequest
  readonly onRetry?: () => void
}

/** The failure in plain words, the remedy, and the code of the API, small. A customer sees the words only. */
export function RefusalNotice({ problem, onRetry }: RefusalNoticeProps) {
  const { message, code } = problem
  const { retry, refusal } = useLabels()
  const again = onRetry && (
    <Button small onClick={onRetry}>
      {retry}
    </Button>
  )
  if (refusal)
    return (
      <Notice tone="bad" title={refusal(code)}>
        {again}
      </Notice>
    )
  return (
    <Notice tone="bad" title={message}>
      {code === 'unreachable' && <p>The page tries again by itself.</p>}
      <span class="cluster">
        <Remedy problem={problem} />
        {again}
        <code class="muted">{code}</code>
      </span>
    </Notice>
  )
}
