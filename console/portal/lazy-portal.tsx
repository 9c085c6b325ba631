import { useEffect, useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Portal } from './portal.tsx'
import { portalWords } from './texts.ts'

type PortalProps = Parameters<typeof Portal>[0]

/** Loads a customer's page, a script of its own. If a newer release replaced it, the page loads again. */
export function LazyPortal(props: PortalProps) {
  const [Loaded, setLoaded] = useState<{ readonly Portal: typeof Portal }>()
  const [isFailed, setFailed] = useState(false)
  useEffect(() => {
    import('./portal.tsx').then(setLoaded, () => setFailed(true))
  }, [])
  const t = portalWords(props.page.language)
  if (isFailed)
    return (
      <main class="alone">
        <h1>{t('yourAccount')}</h1>
        <Notice tone="bad" title={t('unreachable')}>
          <Button onClick={() => location.reload()}>{t('retry')}</Button>
        </Notice>
      </main>
    )
  return Loaded ? <Loaded.Portal {...props} /> : null
}
