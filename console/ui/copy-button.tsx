import { useState } from 'preact/hooks'
import { useLabels } from '../base/ui-labels.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

/** Copies a text. Only https and localhost have a clipboard. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const labels = useLabels()
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  const copy = async () => {
    const done = await navigator.clipboard?.writeText(text).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
    setOutcome(done ?? 'refused')
    setTimeout(() => setOutcome(undefined), SHOWN_MS)
  }
  return (
    <Button
      small
      icon={outcome === 'copied' ? 'check' : 'copy'}
      label={outcome ? `${labels[outcome]} ${what}` : labels.copyOf(what)}
      onClick={copy}
    >
      {labels.copy && (outcome ? labels[outcome] : labels.copy)}
    </Button>
  )
}
