import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { rememberFocus } from '../base/focus.ts'
import { Button, type ButtonProps } from './button.tsx'

interface SidePanelProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A dialog at the side of the page. The browser keeps the focus in it, and closes it with Escape. However
 * it ends, the focus is back where it was.
 */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const giveBack = rememberFocus()
    dialog.current?.showModal()
    const enter = () => enterForm(dialog.current)
    const watch = new MutationObserver(enter)
    if (dialog.current) watch.observe(dialog.current, { childList: true, subtree: true })
    enter()
    return () => {
      watch.disconnect()
      giveBack()
    }
  }, [])
  return (
    <dialog ref={dialog} class="side-panel" aria-labelledby={id} onClose={onClose}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={() => dialog.current?.close()} />
      </div>
      <PanelClose.Provider value={() => dialog.current?.close()}>
        <div class="stack">{children}</div>
      </PanelClose.Provider>
    </dialog>
  )
}

const PanelClose = createContext<(() => void) | undefined>(undefined)

/** Closes the panel around it. Outside of a panel, nothing is shown. */
export function CancelButton() {
  const close = useContext(PanelClose)
  return close ? <Button onClick={close}>Cancel</Button> : null
}

/** A form is there to be filled in. Until it is loaded, the button that closes the panel has the focus. */
const enterForm = (dialog: HTMLDialogElement | null) =>
  dialog?.querySelector('.panel-head :focus') &&
  dialog.querySelector<HTMLElement>('.stack :is(input, select, textarea)')?.focus()

interface PanelButtonProps extends Omit<ButtonProps, 'children' | 'onClick' | 'opens'> {
  readonly text: string
  readonly title: string
  readonly children: (close: () => void) => ComponentChildren
}

export function PanelButton({ text, title, children, ...button }: PanelButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button {...button} opens onClick={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && (
        <SidePanel title={title} onClose={close}>
          {children(close)}
        </SidePanel>
      )}
    </>
  )
}
