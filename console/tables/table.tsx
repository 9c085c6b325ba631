import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { BLANK, formatCount } from '../base/format.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import {
  cellContent,
  cellText,
  classes,
  isNumberColumn,
  phoneClass,
  rankClass,
  type TypedColumn,
} from './columns.tsx'
import { sortRows } from './table-rows.ts'
import { useArrows } from './use-arrows.ts'

interface Sorting {
  readonly title: string
  readonly isDescending: boolean
}

interface TableProps<R> {
  /** Its name, shown only where the card around it has another one. */
  readonly label: string
  readonly isTitled?: boolean
  readonly columns: readonly TypedColumn<R>[]
  readonly rows: readonly R[]
  /** Shown in its place while it has no rows; without it, the headings are. */
  readonly empty?: ComponentChildren
  /** Shown below all rows, in any order of the rows. */
  readonly totals?: readonly R[]
  /** Neither sorted nor cut into pages, as a list that grows by pages of the API. */
  readonly isPlain?: boolean
  /** Stands at the end of each row. */
  readonly actions?: (row: R) => ComponentChildren
}

/** A page of the console's API has at most this many rows, so it is not cut again. */
const PAGE_ROWS = 100

/** Rows sorted by a click on a heading, a page at a time: the same layout for any number of rows. */
export function Table<R>({
  label,
  isTitled,
  isPlain,
  columns,
  rows,
  empty,
  totals = [],
  actions,
}: TableProps<R>) {
  const [sorting, setSorting] = useState<Sorting>()
  const [from, setFrom] = useState(0)
  useEffect(() => setFrom(0), [rows, sorting])
  const till = isPlain ? rows.length : from + PAGE_ROWS
  const by = columns.find(({ title }) => title === sorting?.title)
  const sorted = useMemo(
    () => (by ? sortRows(rows, (row) => cellText(by, row), sorting?.isDescending ?? false) : rows),
    [rows, sorting],
  )
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div class="table">
      {isTitled && (
        <p class="table-title">
          <strong>{label}</strong> <span class="muted">{formatCount(rows.length)}</span>
        </p>
      )}
      <Scrolling {...{ label, isPlain }}>
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column.title}
                {...{ column, sorting }}
                onSort={isPlain ? undefined : setSorting}
              />
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(from, till).map((row, index) => (
            <tr key={`${from + index} ${columns[0] && cellText(columns[0], row)}`}>
              <Cells {...{ columns, row }} />
              {actions && <td class="actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
        {totals.length > 0 && (
          <tfoot>
            {totals.map((row, index) => (
              <tr key={index}>
                <Cells {...{ columns, row }} isTotal />
              </tr>
            ))}
          </tfoot>
        )}
      </Scrolling>
      {!isPlain && rows.length > PAGE_ROWS && <Pager from={from} total={rows.length} onMove={setFrom} />}
    </div>
  )
}

interface ScrollingProps {
  readonly label: string
  readonly isPlain: boolean | undefined
  readonly children: ComponentChildren
}

/** A plain table has no headings to press: it is scrolled by keyboard itself. */
function Scrolling({ label, isPlain, children }: ScrollingProps) {
  const arrows = useArrows()
  return isPlain ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    <section class="scrolling" tabIndex={0}>
      <table>{children}</table>
    </section>
  ) : (
    <section class="scrolling" aria-label={`${label}, table`}>
      <table {...arrows}>{children}</table>
    </section>
  )
}

interface HeadingProps<R> {
  readonly column: TypedColumn<R>
  readonly sorting: Sorting | undefined
  readonly onSort: ((sorting: Sorting) => void) | undefined
}

function Heading<R>({ column, sorting, onSort }: HeadingProps<R>) {
  const { title } = column
  const isSorted = sorting?.title === title
  const isDescending = isSorted && sorting.isDescending
  const direction = isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={classes(isNumberColumn(column) && 'number', rankClass(column))}
      aria-sort={isSorted ? direction : undefined}
    >
      {onSort ? (
        <button type="button" onClick={() => onSort({ title, isDescending: isSorted && !isDescending })}>
          {title}
          <Icon name="arrow" />
        </button>
      ) : (
        title
      )}
    </th>
  )
}

/** Text up to this length stays on one line. */
const LINE_CHARACTERS = 36

interface CellsProps<R> {
  readonly columns: readonly TypedColumn<R>[]
  readonly row: R
  /** Not every column has a total. */
  readonly isTotal?: boolean
}

const Cells = <R,>({ columns, row, isTotal = false }: CellsProps<R>) => (
  <>
    {columns.map((column) => {
      const [text, content] = [cellText(column, row), cellContent(column, row)]
      const isLine = text.length <= LINE_CHARACTERS
      const isBlank = text === BLANK && (!column.show || !content || content === BLANK)
      const align = isNumberColumn(column) ? 'number' : isLine && 'nowrap'
      return (
        <td
          key={column.title}
          class={classes(
            align,
            rankClass(column),
            phoneClass(column),
            'state' in column && 'state',
            isBlank && 'blank',
          )}
          data-title={column.title}
        >
          {!(isTotal && isBlank) && content}
        </td>
      )
    })}
  </>
)

interface PagerProps {
  readonly from: number
  readonly total: number
  readonly onMove: (from: number) => void
}

const Pager = ({ from, total, onMove }: PagerProps) => (
  <nav class="pager" aria-label="Pages of the table">
    <span>
      {`${formatCount(from + 1)}–${formatCount(Math.min(from + PAGE_ROWS, total))} of ${formatCount(total)}`}
    </span>
    <Button small isDisabled={from === 0} onClick={() => onMove(from - PAGE_ROWS)}>
      Previous
    </Button>
    <Button small isDisabled={from + PAGE_ROWS >= total} onClick={() => onMove(from + PAGE_ROWS)}>
      Next
    </Button>
  </nav>
)
