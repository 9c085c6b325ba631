import { useEffect, useRef } from 'preact/hooks'
import { controlsIn, FOCUSABLE } from '../base/focus.ts'

/** The rows and the controls of a row that a key leads on. Clamping makes `Infinity` the last one. */
const STEPS: Readonly<Record<string, readonly [rows: number, controls: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
}

const OWN_KEYS = 'input:not([type=checkbox]), select, textarea, [popover] *'

/**
 * One stop of the Tab key for all rows; from there arrow keys lead to the others, as in the lists of Gmail
 * and Linear (https://www.w3.org/WAI/ARIA/apg/patterns/grid/). Home and End are the first and the last row.
 */
export function useArrows() {
  const ref = useRef<HTMLTableElement>(null)
  const stop = useRef<HTMLElement | undefined>(undefined)
  const makeStop = () => {
    stop.current = makeStopOf(ref.current, stop.current)
  }
  useEffect(makeStop)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const { target, currentTarget } = event
    if (!step || !(target instanceof HTMLElement) || target.matches(OWN_KEYS)) return
    if (!(currentTarget instanceof HTMLTableElement)) return
    event.preventDefault()
    const rows = [...currentTarget.rows].map(controlsIn).filter(({ length }) => length > 0)
    const at = rows.findIndex((row) => row.includes(target))
    const next = itemNear(rows, at + step[0]) ?? []
    itemNear(next, (rows[at]?.indexOf(target) ?? 0) + step[1])?.focus()
  }
  /** A row does what its first link does. Its other controls do their own, and selected text stays. */
  const onClick = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest(`${FOCUSABLE}, label`)) return
    if (getSelection()?.isCollapsed === false) return
    const link = target.closest('tbody tr')?.querySelector('td:first-child :is(a, .link)')
    link?.dispatchEvent(
      new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    )
  }
  const onFocusIn = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) stop.current = target
    makeStop()
  }
  return { ref, onKeyDown, onClick, onFocusIn, role: 'grid' } as const
}

/** Leaves one control of a table in the order of the Tab key: the wanted one, if it is still there. */
function makeStopOf(table: Element | null, wanted: HTMLElement | undefined): HTMLElement | undefined {
  const controls = table ? controlsIn(table) : []
  const first = controls.find((one) => one.closest('tbody')) ?? controls[0]
  const stop = wanted?.isConnected ? wanted : first
  for (const one of controls) one.tabIndex = one === stop ? 0 : -1
  return stop
}

const itemNear = <T>(items: readonly T[], index: number): T | undefined =>
  items[Math.max(0, Math.min(items.length - 1, index))]
