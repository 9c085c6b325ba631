import type { Markup } from './element.ts'
import { escapedText } from './xml-js.ts'

type Cell = string | number | Markup | undefined

/**
 * Writes the elements of long lists: `<tag>` with one child a field, in order, escaped as `render` does. Several times
 * as fast as building elements, since every tag is put together once.
 */
export function rowWriter<F extends string>(
  tag: string,
  fields: readonly F[],
): (row: Readonly<Record<F, Cell>>) => string {
  const tags = fields.map((field) => ({
    field,
    open: `<${field}>`,
    close: `</${field}>`,
    empty: `<${field}/>`,
  }))
  const [start, end] = [`<${tag}>`, `</${tag}>`]

  return (row) => {
    let markup = start
    for (const { field, open, close, empty } of tags) {
      const text = textOf(row[field])
      markup += text === '' ? empty : open + text + close
    }
    return markup + end
  }
}

const textOf = (cell: Cell): string => {
  if (cell === undefined) return ''
  if (typeof cell === 'object') return cell.markup
  return typeof cell === 'number' ? String(cell) : escapedText(cell)
}
