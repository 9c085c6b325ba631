import type { Markup } from './element.ts'
import { elementNode, escapedText, mark, write } from './xml-js.ts'

type Cell = string | number | Markup | undefined

type Row<F extends string> = Readonly<Record<F, Cell>>

/**
 * Writes the elements of long lists: `<tag>` with one child a field, in order. xml-js writes the shape of a row, and what
 * each row holds is stamped into that: the same markup several times as fast.
 */
export function rowWriter<F extends string>(
  tag: string,
  fields: readonly F[],
): (rows: readonly Row<F>[]) => Markup {
  const [start = '', end = ''] = write([elementNode(tag, [CELL])]).split(CELL_TEXT)
  const stamp = stamper(fields)
  return (rows) => {
    let markup = ''
    for (const row of rows) markup = stamp(markup + start, row) + end
    return { markup }
  }
}

/** The same without an element around it: for a cell that has cells of its own. */
export function cellsWriter<F extends string>(fields: readonly F[]): (row: Row<F>) => Markup {
  const stamp = stamper(fields)
  return (row) => ({ markup: stamp('', row) })
}

/** Puts the cells of a row after the markup before it. One text that grows is faster than many that are joined. */
function stamper<F extends string>(fields: readonly F[]): (before: string, row: Row<F>) => string {
  const stamps = stampsOf(fields)
  return (before, row) => {
    let markup = before
    for (const { field, open, close, empty } of stamps) {
      const text = textOf(row[field])
      markup += text === '' ? empty : open + text + close
    }
    return markup
  }
}

const [CELL_TEXT, END_TEXT] = ['\u0000', '\u0001'] as const

const [CELL, END] = [mark(CELL_TEXT), mark(END_TEXT)]

/** Every field once with a mark in it, and once with nothing. */
function stampsOf<F extends string>(fields: readonly F[]) {
  const written = (content: (typeof CELL)[]) =>
    write(fields.flatMap((field) => [elementNode(field, content), END])).split(END_TEXT)
  const [filled, empty] = [written([CELL]), written([])]
  return fields.map((field, position) => {
    const [open = '', close = ''] = filled[position]?.split(CELL_TEXT) ?? []
    return { field, open, close, empty: empty[position] ?? '' }
  })
}

function textOf(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'object') return cell.markup
  return typeof cell === 'number' ? String(cell) : escapedText(cell)
}
