import type { Refusal } from '../api/console-api.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { adviceIn } from './advice.ts'
import { Remedy } from './remedy.tsx'

interface RefusalNoticeProps {
  readonly problem: Refusal
  readonly onRetry?: () => void
}

/** The failure in plain words, the remedy, and the code of the API, small. */
export const RefusalNotice = ({ problem: { message, code }, onRetry }: RefusalNoticeProps) => (
  <Notice tone="bad" title={adviceIn(message).fact}>
    {code === 'unreachable' && <p>The page tries again by itself.</p>}
    <span class="cluster">
      <Remedy message={message} />
      {onRetry && (
        <Button small onClick={onRetry}>
          Retry
        </Button>
      )}
      <code class="muted">{code}</code>
    </span>
  </Notice>
)
