import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

interface PopupProps {
  /** The name of the button; blank if its content names it. */
  readonly label?: string
  readonly kind: string
  readonly shown: ComponentChildren
  /** The name of the popup, if it is more than a list of actions. */
  readonly dialog?: string
  readonly children: (close: () => void) => ComponentChildren
}

/** A button that opens something below it. The browser closes it with Escape and with a click elsewhere. */
export function Popup({ label, kind, shown, dialog, children }: PopupProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const open = () => {
    list.current?.togglePopover()
    if (button.current && list.current) placeBelow(button.current, list.current)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${kind}`}
        aria-label={label}
        aria-haspopup={dialog ? 'dialog' : true}
        aria-controls={id}
        onClick={open}
      >
        {shown}
      </button>
      <div
        ref={list}
        id={id}
        class="menu-list"
        popover="auto"
        {...(dialog && { role: 'dialog', 'aria-label': dialog })}
      >
        {children(() => {
          list.current?.hidePopover()
          button.current?.focus()
        })}
      </div>
    </>
  )
}

/** In the top layer nothing cuts a list off, and nothing places it either. */
function placeBelow(button: HTMLElement, list: HTMLElement): void {
  const { bottom, right, top } = button.getBoundingClientRect()
  const below = bottom + list.offsetHeight < innerHeight
  list.style.left = `${Math.max(8, right - list.offsetWidth)}px`
  list.style.top = `${below ? bottom + 4 : top - list.offsetHeight - 4}px`
}
