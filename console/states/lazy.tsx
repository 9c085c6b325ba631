import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLabels } from '../base/ui-labels.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

/** A section that few open, as its own script. If a newer release replaced it, the page loads again. */
export const lazySection =
  <P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> =>
  (props) => {
    const [found, setFound] = useState<{ readonly Section: FunctionComponent<P> }>()
    const [isFailed, setFailed] = useState(false)
    const { refusal, retry } = useLabels()
    useEffect(() => {
      load().then(
        (Section) => setFound({ Section }),
        () => setFailed(true),
      )
    }, [])
    if (isFailed)
      return (
        <Notice tone="bad" title={refusal?.('unreachable') ?? 'This section could not be loaded.'}>
          <Button onClick={() => location.reload()}>{retry}</Button>
        </Notice>
      )
    return found ? <found.Section {...props} /> : null
  }
