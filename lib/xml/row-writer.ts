import type { Markup } from './element.ts'
import { elementNode, escapedText, mark, write } from './xml-js.ts'

type Cell = string | number | Markup | undefined

type RowCells<F extends string> = Readonly<Record<F, Cell>>

/**
 * Returns a writer for long lists: `<tag>` with one child for each field, in order. xml-js writes the template of a row
 * once, and the cells of each row are inserted into it. This is several times faster than xml-js alone.
 */
export function rowWriter<F extends string>(
  tag: string,
  fields: readonly F[],
): (rows: readonly RowCells<F>[]) => Markup {
  const [start = '', end = ''] = write([elementNode(tag, [CELL])]).split(CELL_TEXT)
  const append = cellAppender(fields)
  return (rows) => {
    let markup = ''
    for (const row of rows) markup = append(markup + start, row) + end
    return { markup }
  }
}

/** Like `rowWriter`, but without the surrounding element: for a cell that has children. */
export function cellsWriter<F extends string>(fields: readonly F[]): (row: RowCells<F>) => Markup {
  const append = cellAppender(fields)
  return (row) => ({ markup: append('', row) })
}

/** Appends the cells of a row to the markup. Appending to one string is faster than joining many. */
function cellAppender<F extends string>(fields: readonly F[]): (before: string, row: RowCells<F>) => string {
  const templates = cellTemplates(fields)
  return (before, row) => {
    let markup = before
    for (const { field, open, close, empty } of templates) {
      const text = cellMarkup(row[field])
      markup += text === '' ? empty : open + text + close
    }
    return markup
  }
}

const [CELL_TEXT, END_TEXT] = ['\u0000', '\u0001'] as const

const [CELL, END] = [mark(CELL_TEXT), mark(END_TEXT)]

/** The markup around each field's cell, and the markup of an empty cell. */
function cellTemplates<F extends string>(fields: readonly F[]) {
  const written = (content: (typeof CELL)[]) =>
    write(fields.flatMap((field) => [elementNode(field, content), END])).split(END_TEXT)
  const [filled, empty] = [written([CELL]), written([])]
  return fields.map((field, position) => {
    const [open = '', close = ''] = filled[position]?.split(CELL_TEXT) ?? []
    return { field, open, close, empty: empty[position] ?? '' }
  })
}

function cellMarkup(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'object') return cell.markup
  return typeof cell === 'number' ? String(cell) : escapedText(cell)
}
