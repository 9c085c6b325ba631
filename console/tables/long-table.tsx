import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { cellContent, classes, isNumberColumn, phoneClass, rankClass, type TypedColumn } from './columns.tsx'
import { useArrows } from './use-arrows.ts'

export type LongTableColumn<T> = TypedColumn<T> & {
  /** The text that a phone shows after a number, because it has no headings. */
  readonly unit?: string
  /** The text that a phone shows before it, such as an arrow. */
  readonly lead?: string
  /** In rem. The column without a width takes the rest. */
  readonly width?: number
}

interface LongTableProps<T> {
  readonly label: string
  readonly columns: readonly LongTableColumn<T>[]
  readonly items: readonly T[]
  /** Whether more rows can be read than there are. */
  readonly isMore: boolean
  /** Called when the last rows come near. */
  readonly onNearEnd: () => void
}

/** Rows from the end at which more are read. */
const NEAR_END = 50

/** Any number of rows, of which only those near the view are rendered, in the order they came. */
export function LongTable<T>({ label, columns, items, isMore, onNearEnd }: LongTableProps<T>) {
  const list = useRef<HTMLTableSectionElement>(null)
  const { from, till, height } = useWindow(list, items.length)
  const isNearEnd = till > items.length - NEAR_END
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, onNearEnd])
  return (
    <div class="table long">
      <section aria-label={`${label}, table`}>
        <table {...useArrows()} aria-rowcount={isMore ? -1 : items.length + 1}>
          <caption class="unseen">{label}</caption>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  class={classes(isNumberColumn(column) && 'number', rankClass(column))}
                  style={{ width: column.width && `${column.width}rem` }}
                >
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={list}>
            <Spacer pixels={from * height} />
            {items.slice(from, till).map((item, index) => (
              <tr key={from + index} aria-rowindex={from + index + 2}>
                {columns.map((column) => (
                  <td
                    key={column.title}
                    class={classOf(column)}
                    data-unit={column.unit}
                    data-lead={column.lead}
                  >
                    {cellContent(column, item)}
                  </td>
                ))}
              </tr>
            ))}
            <Spacer pixels={(items.length - till) * height} />
          </tbody>
        </table>
      </section>
    </div>
  )
}

const classOf = <T,>(column: LongTableColumn<T>) =>
  classes(isNumberColumn(column) ? 'number' : 'nowrap', rankClass(column), phoneClass(column))

/** Takes the place of the rows that are not in the page. */
const Spacer = ({ pixels }: { readonly pixels: number }) =>
  pixels > 0 ? (
    <tr class="spacer" style={{ height: `${pixels}px` }}>
      <td />
    </tr>
  ) : null

/** The rows of a long list that are in view or near it: `from` is among them, `till` is not. */
interface RowWindow {
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
function useWindow(list: RefObject<HTMLElement | null>, count: number): RowWindow {
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
