import { useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface MenuItem {
  readonly title: string
  readonly isDangerous?: boolean
  readonly onChoose: () => void
}

interface MenuProps {
  /** Its name, such as "Actions of device 10". */
  readonly label: string
  readonly items: readonly MenuItem[]
}

/** Actions behind three dots. The browser closes it with Escape and with a click elsewhere. */
export function Menu({ label, items }: MenuProps) {
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
        class="button quiet small"
        aria-label={label}
        aria-haspopup="true"
        aria-controls={id}
        onClick={open}
      >
        <Icon name="more" />
      </button>
      <div ref={list} id={id} class="menu-list" popover="auto">
        {items.map(({ title, isDangerous, onChoose }) => (
          <button
            key={title}
            type="button"
            class={isDangerous ? 'danger' : ''}
            onClick={() => {
              list.current?.hidePopover()
              onChoose()
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </>
  )
}

/** In the top layer nothing cuts a list off, and nothing places it either. */
export function placeBelow(button: HTMLElement, list: HTMLElement): void {
  const { bottom, right, top } = button.getBoundingClientRect()
  const below = bottom + list.offsetHeight < innerHeight
  list.style.left = `${Math.max(8, right - list.offsetWidth)}px`
  list.style.top = `${below ? bottom + 4 : top - list.offsetHeight - 4}px`
}
