import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  readonly what: string
}

const SHOWN_MS = 2000

/** Copies a text. Only https and localhost have a clipboard. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [says, setSays] = useState('Copy')
  const copy = async () => {
    const done = await navigator.clipboard?.writeText(text).then(
      () => 'Copied',
      () => 'Not allowed',
    )
    setSays(done ?? 'Not allowed')
    setTimeout(() => setSays('Copy'), SHOWN_MS)
  }
  return (
    <Button small icon={says === 'Copied' ? 'check' : 'copy'} label={`${says} ${what}`} onClick={copy}>
      {says}
    </Button>
  )
}
