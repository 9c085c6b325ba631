import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import type { IconName } from '../ui/icon.tsx'
import { RecordPanel, type RecordPanelProps } from './record-panel.tsx'

interface RecordButtonProps extends Omit<RecordPanelProps, 'onClose' | 'onDone'> {
  readonly text: string
  readonly icon: IconName
  readonly small?: boolean
  readonly isPrimary?: boolean
  readonly onDone?: RecordPanelProps['onDone']
}

/** Opens the form of a record, or of a new one. */
export function RecordButton({ text, icon, small = false, isPrimary, onDone, ...panel }: RecordButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        opens
        {...{ icon, small }}
        kind={isPrimary ? 'primary' : 'secondary'}
        onClick={() => setOpen(true)}
      >
        {text}
      </Button>
      {isOpen && (
        <RecordPanel
          {...panel}
          onClose={close}
          onDone={(id) => {
            close()
            onDone?.(id)
          }}
        />
      )}
    </>
  )
}
