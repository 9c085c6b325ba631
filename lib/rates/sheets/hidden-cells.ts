import { countOf } from '#lib/base/text.ts'
import { MAX_COLUMNS, type SheetRow } from './sheet-row.ts'

/** What the eye does not see in a worksheet: hidden rows and columns, and struck-out cells. */
export interface HiddenCells {
  /** Line numbers, from 1. */
  readonly rows: Set<number>
  /** Indices, from 0. */
  readonly columns: Set<number>
  /** The indices of struck-out cells by line. */
  readonly struck: Map<number, Set<number>>
}

/** The styles of cells whose font is struck out, by the styles of the workbook. */
export function struckStyles(styles: string): ReadonlySet<string> {
  const fonts = sectionOf(styles, 'fonts').match(FONTS) ?? []
  const struck = new Set(fonts.flatMap((font, index) => (STRIKE.test(font) ? [String(index)] : [])))
  const formats = sectionOf(styles, 'cellXfs').match(FORMATS) ?? []
  return new Set(
    formats.flatMap((format, index) => (struck.has(attributeOf(format, 'fontId')) ? [String(index)] : [])),
  )
}

const FONTS = /<(?:\w+:)?font(?:\/>|>[\s\S]*?<\/(?:\w+:)?font>)/g
const STRIKE = /<(?:\w+:)?strike(?![^<>]*val="(?:0|false)")[\s/>]/
const FORMATS = /<(?:\w+:)?xf [^<>]*>/g

const sectionOf = (xml: string, name: string): string => {
  const start = new RegExp(`<(?:\\w+:)?${name}[ >]`).exec(xml)?.index ?? -1
  const end = start < 0 ? -1 : xml.indexOf(`${name}>`, start)
  return end < 0 ? '' : xml.slice(start, end)
}

const attributeOf = (tag: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

const TAGS = /<(?:\w+:)?(row|col|c) [^<>]*>/g
const MAY_HIDE = /hidden=|width="0"|ht="0"/

/** Collects what is hidden from pieces of a worksheet's XML, in their order. */
export function createHiddenReader(styles: ReadonlySet<string>) {
  const hidden: HiddenCells = { rows: new Set(), columns: new Set(), struck: new Map() }
  let rest = ''
  const see = (tag: string, name: string) => {
    if (name === 'row' && isHidden(tag, 'ht')) hidden.rows.add(Number(attributeOf(tag, 'r')))
    if (name === 'col' && isHidden(tag, 'width')) addColumns(hidden.columns, tag)
    if (name === 'c' && styles.has(attributeOf(tag, 's'))) addStruck(hidden.struck, attributeOf(tag, 'r'))
  }
  return {
    hidden,
    read: (piece: string): void => {
      const text = rest + piece
      const end = text.lastIndexOf('<')
      rest = end < 0 || text.indexOf('>', end) >= 0 ? '' : text.slice(end)
      if (styles.size === 0 && !MAY_HIDE.test(text)) return
      for (const [tag, name = ''] of text.matchAll(TAGS)) see(tag, name)
    },
  }
}

const isHidden = (tag: string, size: string): boolean =>
  /^(?:1|true)$/.test(attributeOf(tag, 'hidden')) || attributeOf(tag, size) === '0'

function addColumns(columns: Set<number>, tag: string): void {
  const [from, till] = [Number(attributeOf(tag, 'min')), Number(attributeOf(tag, 'max'))]
  for (let column = from; column <= Math.min(till, MAX_COLUMNS); column += 1) columns.add(column - 1)
}

function addStruck(struck: Map<number, Set<number>>, reference: string): void {
  const [, letters = '', line = ''] = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? []
  if (letters === '') return
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  const cells = struck.get(Number(line)) ?? new Set()
  struck.set(Number(line), cells.add(column))
}

/** The rows as they are seen: without hidden ones, and with blanks in place of other hidden cells. */
export function visibleRows(rows: readonly SheetRow[], hidden: HiddenCells): SheetRow[] {
  if (hidden.rows.size + hidden.columns.size + hidden.struck.size === 0) return [...rows]
  return rows.flatMap(({ line, cells }) => {
    const struck = hidden.struck.get(line)
    const seen = cells.map((cell, index) => (hidden.columns.has(index) || struck?.has(index) ? '' : cell))
    return hidden.rows.has(line) || seen.every((cell) => cell === '') ? [] : [{ line, cells: seen }]
  })
}

/** What is left out, in words: `2 hidden rows`, `the hidden columns C`. */
export function describeHidden(
  rows: readonly SheetRow[],
  { rows: lines, columns, struck }: HiddenCells,
): string[] {
  const filled = rows.filter(({ line }) => lines.has(line)).length
  const used = [...columns].filter((column) => rows.some(({ cells }) => (cells[column] ?? '') !== ''))
  const cells = rows.reduce(
    (sum, row) => sum + [...(struck.get(row.line) ?? [])].filter((at) => row.cells[at]).length,
    0,
  )
  return [
    ...(filled > 0 ? [countOf(filled, 'hidden row')] : []),
    ...(used.length > 0 ? [`the hidden columns ${used.map(letterOf).join(', ')}`] : []),
    ...(cells > 0 ? [countOf(cells, 'struck-out cell')] : []),
  ]
}

const letterOf = (column: number): string =>
  (column >= 26 ? letterOf(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))
