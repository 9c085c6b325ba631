import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface TableProps {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, string>>[]
  /** What stands behind each row. */
  readonly actions?: (row: Readonly<Record<string, string>>) => ComponentChildren
}

/** So many rows a page stays quick with. */
const PAGE = 200

/** Rows under their columns. A single row is told from top to bottom. */
export function Table({ caption, columns, rows, actions }: TableProps) {
  const [shown, setShown] = useState(PAGE)
  if (rows.length === 1 && rows[0] && !actions) return <Facts caption={caption} row={rows[0]} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    <section class="scrolling" aria-label={caption} tabIndex={0}>
      <table>
        <caption>
          {caption} <small>{rows.length.toLocaleString()}</small>
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, at) => (
            <tr key={at}>
              {columns.map((column) => (
                <td key={column}>{row[column]}</td>
              ))}
              {actions && <td>{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, rows.length - shown)} more of {rows.length - shown}
        </button>
      )}
    </section>
  )
}

interface FactsProps {
  readonly caption: string
  readonly row: Readonly<Record<string, string>>
}

const Facts = ({ caption, row }: FactsProps) => (
  <table class="facts">
    <caption>{caption}</caption>
    <tbody>
      {Object.entries(row).map(([name, value]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
