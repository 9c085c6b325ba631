import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { BLANK } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { isNumeric, type Sorting, sortRows, type TableRow } from './table-rows.ts'

export interface TableColumn {
  readonly key: string
  readonly title?: string
  /** Aligns right; without it, the values decide. Ids and prefixes are names made of digits. */
  readonly isNumber?: boolean
  /** A table that is too narrow for all columns leaves out those of rank 3 first, then those of rank 2. */
  readonly rank?: 2 | 3
  /** Renders a cell whose text alone is not enough. */
  readonly show?: (row: TableRow) => ComponentChildren
}

interface TableProps {
  /** Its name, shown only where the card around it has another one. */
  readonly label: string
  readonly isTitled?: boolean
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
  /** Shown in its place while it has no rows; without it, the headings are. */
  readonly empty?: ComponentChildren
  /** Stands below all rows, whatever their order. */
  readonly total?: TableRow | undefined
  /** Stands at the end of each row. */
  readonly actions?: (row: TableRow) => ComponentChildren
}

/** A page of the console's API has at most this many rows, so it is not cut again. */
const PAGE_ROWS = 100

/** Rows sorted by a click on a heading, a page at a time: the same layout for any number of rows. */
export function Table({ label, isTitled = false, columns, rows, empty, total, actions }: TableProps) {
  const [sorting, setSorting] = useState<Sorting>()
  const [from, setFrom] = useState(0)
  useEffect(() => setFrom(0), [rows, sorting])
  const sorted = useMemo(() => (sorting ? sortRows(rows, sorting) : rows), [rows, sorting])
  const numeric = useMemo(
    () =>
      new Set(columns.filter(({ key, isNumber }) => isNumber ?? isNumeric(rows, key)).map(({ key }) => key)),
    [rows, columns],
  )
  const className = (key: string) => (numeric.has(key) ? 'number' : undefined)
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    <div class="table">
      {isTitled && (
        <p class="table-title">
          <strong>{label}</strong> <span class="muted">{rows.length.toLocaleString('en')}</span>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
      <section class="scrolling" aria-label={`${label}, table`} tabIndex={0}>
        <table>
          <caption class="unseen">{label}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading
                  key={column.key}
                  column={column}
                  className={className(column.key)}
                  sorting={sorting}
                  onSort={setSorting}
                />
              ))}
              {actions && <td />}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(from, from + PAGE_ROWS).map((row, index) => (
              <Row
                key={`${from + index} ${row[columns[0]?.key ?? '']}`}
                {...{ row, columns, className, actions }}
              />
            ))}
          </tbody>
          {total && <Total {...{ columns, className }} row={total} />}
        </table>
      </section>
      {rows.length > PAGE_ROWS && <Pager from={from} total={rows.length} onMove={setFrom} />}
    </div>
  )
}

interface HeadingProps {
  readonly column: TableColumn
  readonly className: string | undefined
  readonly sorting: Sorting | undefined
  readonly onSort: (sorting: Sorting) => void
}

function Heading({ column, className, sorting, onSort }: HeadingProps) {
  const { key, title = key } = column
  const isSorted = sorting?.key === key
  const isDescending = isSorted && sorting.isDescending
  const direction = isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={classes(className, rankClass(column))}
      aria-sort={isSorted ? direction : undefined}
    >
      <button type="button" onClick={() => onSort({ key, isDescending: isSorted && !isDescending })}>
        {title}
        <Icon name="arrow" />
      </button>
    </th>
  )
}

interface RowProps {
  readonly columns: TableProps['columns']
  readonly actions: TableProps['actions'] | undefined
  readonly row: TableRow
  readonly className: (key: string) => string | undefined
}

const Row = ({ row, columns, className, actions }: RowProps) => (
  <tr>
    {columns.map((column) => {
      const { key, title = key, show } = column
      const isBlank = row[key] === BLANK || row[key] === ''
      return (
        <td
          key={key}
          class={classes(className(key) ?? lengthOf(row[key]), rankClass(column), isBlank && 'blank')}
          data-title={title}
        >
          {show ? show(row) : row[key]}
        </td>
      )
    })}
    {actions && <td class="actions">{actions(row)}</td>}
  </tr>
)

const Total = ({ row, columns, className }: Pick<RowProps, 'row' | 'columns' | 'className'>) => (
  <tfoot>
    <tr>
      {columns.map((column) => (
        <td
          key={column.key}
          class={classes(className(column.key) ?? lengthOf(row[column.key]), rankClass(column))}
          data-title={column.title ?? column.key}
        >
          {row[column.key]}
        </td>
      ))}
    </tr>
  </tfoot>
)

export const rankClass = ({ rank }: TableColumn): string | undefined => rank && `rank-${rank}`

/** The names of classes, without those that do not apply. */
export const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

/** Text up to this length stays on one line. */
const LINE_CHARACTERS = 36

const lengthOf = (text = ''): string | undefined => (text.length > LINE_CHARACTERS ? undefined : 'nowrap')

interface PagerProps {
  readonly from: number
  readonly total: number
  readonly onMove: (from: number) => void
}

const Pager = ({ from, total, onMove }: PagerProps) => (
  <nav class="pager" aria-label="Pages of the table">
    <span>
      {(from + 1).toLocaleString('en')}–{Math.min(from + PAGE_ROWS, total).toLocaleString('en')} of{' '}
      {total.toLocaleString('en')}
    </span>
    <Button small isDisabled={from === 0} onClick={() => onMove(from - PAGE_ROWS)}>
      Previous
    </Button>
    <Button small isDisabled={from + PAGE_ROWS >= total} onClick={() => onMove(from + PAGE_ROWS)}>
      Next
    </Button>
  </nav>
)
