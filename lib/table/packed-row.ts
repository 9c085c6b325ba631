import { lazily } from '#lib/base/collections.ts'
import { type Columns, type Row, rowReader, storedReader } from './columns.ts'
import { type Items, picked, type Stored } from './entity.ts'
import type { Item } from './items.ts'
import { ROW } from './table.ts'

/**
 * The number of the layout that is written: the columns in the order of their declaration. Every layout of a
 * release stays readable (data/releases/), so a change of the columns of an entity needs a new number and a
 * reader of both. Columns that are `addedLater` at the end need none: an earlier row lacks their cells.
 */
const LAYOUT = 1

/** A JSON array: the number of the layout, then a cell for each column. An absent value is null. */
export const pack = <C extends Columns>(columns: C, row: Row<C>): string =>
  JSON.stringify([LAYOUT, ...withoutLastDefaults(columns, cellsOf(columns, row))])

/** Leaves out the last cells that have the defaults of columns that were added later. */
function withoutLastDefaults(columns: Columns, cells: readonly unknown[]): readonly unknown[] {
  const declared = Object.values(columns)
  const isDefault = (cell: unknown, index: number) =>
    declared[index]?.isLater && cell === declared[index].blank?.value
  return cells.slice(0, cells.findLastIndex((cell, index) => !isDefault(cell, index)) + 1)
}

const cellsOf = (columns: Columns, row: Item): unknown[] =>
  Object.entries(columns).map(([name, { rows }]) =>
    rows
      ? (row[name] as Item[] | undefined)?.map((inner) => withoutLastDefaults(rows, cellsOf(rows, inner)))
      : row[name],
  )

/**
 * Reads the packed row of an item. Values were checked when written, so only the layout and the number of
 * cells are checked. Every row has its columns in one order, and so one hidden class in V8.
 */
export function unpacker<C extends Columns>(columns: C): (item: Item) => Row<C> {
  const makerOf = lazily(() => rowMaker(columns))
  return (item) => {
    const cells: unknown = JSON.parse(String(item[ROW]))
    if (!Array.isArray(cells) || cells[0] !== LAYOUT) throw new Error(`not a row of layout ${LAYOUT}`)
    return makerOf()(cells, 1) as Row<C>
  }
}

/** Makes rows of the cells from `first` on. Copying a blank row is faster than adding columns. */
function rowMaker(columns: Columns): (cells: unknown, first?: number) => Item {
  const declared = Object.entries(columns)
  const names = Object.keys(columns)
  const lists = declared.flatMap(([name, { rows }]) => (rows ? [{ name, toRow: rowMaker(rows) }] : []))
  const earlier = declared.filter(([, { isLater }]) => !isLater).length
  const blank: Item = Object.fromEntries(
    declared.map(([name, column]) => [name, column.isLater ? column.blank?.value : undefined]),
  )
  return (cells, first = 0) => {
    if (!areCells(cells, first + earlier, first + names.length))
      throw new Error(`not a row of ${names.length} columns`)
    const row: Record<string, unknown> = { ...blank }
    setCells(row, names, cells, first)
    for (const { name, toRow } of lists)
      row[name] = (row[name] as unknown[] | undefined)?.map((one) => toRow(one))
    return row
  }
}

/** A column whose cell is absent keeps the value of the blank row. */
function setCells(
  row: Record<string, unknown>,
  names: readonly string[],
  cells: readonly unknown[],
  first: number,
): void {
  let place = first
  for (const name of names) {
    const cell = cells[place++] ?? undefined
    if (cell !== undefined) row[name] = cell
  }
}

/** An earlier row lacks cells at the end. */
const areCells = (cells: unknown, least: number, most: number): cells is unknown[] =>
  Array.isArray(cells) && cells.length >= least && cells.length <= most

/** Packs rows into one attribute. The columns `beside` are attributes of their own: updates name them. */
export const packedItems =
  (beside: readonly string[]) =>
  <C extends Columns>(columns: C): Items<Row<C>> => {
    const besideColumns = pickColumns(columns, (name) => beside.includes(name))
    const rowColumns = pickColumns(columns, (name) => !beside.includes(name))
    const unpack = unpacker(rowColumns)
    const checkRow = rowReader(rowColumns)
    const readBeside = storedReader(besideColumns)
    const names = [...beside, 'digest', 'version']
    return {
      read: (item) => ({ ...unpack(item), ...readBeside(item) }) as Stored<Row<C>>,
      check: (item) => ({ ...checkRow(unpack(item)), ...readBeside(item) }) as Stored<Row<C>>,
      toItem: (row) => ({ [ROW]: pack(rowColumns, row), ...picked(row, names) }),
    }
  }

const pickColumns = (columns: Columns, isPicked: (name: string) => boolean): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => isPicked(name)))
