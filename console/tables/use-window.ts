import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The rows of a long list that are in view or near it: `from` is among them, `till` is not. */
export interface RowWindow {
  readonly from: number
  readonly till: number
  /** The height of a row in pixels. All rows have the same. */
  readonly height: number
}

/** Rows above and below the view, so that a quick scroll or the Tab key finds them. */
const AROUND = 20

const FIRST_ROWS: RowWindow = { from: 0, till: 2 * AROUND, height: 0 }

/** The window moves by this number of rows, so that a scroll does not draw the table at each pixel. */
const STEP = 10

/** Follows the page's scrolling. `list` is a table body whose rows, without spacers, are in the window. */
export function useWindow(list: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [shown, setShown] = useState(FIRST_ROWS)
  useEffect(() => {
    const look = () => {
      const row = list.current?.querySelector<HTMLElement>('tr[aria-rowindex]')
      if (!list.current || !row) return
      const height = row.getBoundingClientRect().height
      const hidden = Math.max(0, Math.floor(-list.current.getBoundingClientRect().top / height / STEP) * STEP)
      const from = Math.max(0, Math.min(hidden, count) - AROUND)
      const till = Math.min(count, hidden + Math.ceil(innerHeight / height) + STEP + AROUND)
      setShown((before) => (isSame(before, { from, till, height }) ? before : { from, till, height }))
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [list, count])
  return { ...shown, from: Math.min(shown.from, count), till: Math.min(shown.till, count) }
}

const isSame = (one: RowWindow, other: RowWindow): boolean =>
  one.from === other.from && one.till === other.till && one.height === other.height
