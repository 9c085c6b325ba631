import { countOf } from '#lib/base/text.ts'
import { MAX_COLUMNS, type SheetRow } from './sheet-row.ts'

/** The invisible cells of a worksheet: hidden rows and columns, and struck-out cells. */
export interface HiddenCells {
  /** Line numbers, from 1. */
  readonly rows: Set<number>
  /** Indices, from 0. */
  readonly columns: Set<number>
  /** The visible part of struck-out cells, by line and index: blank, or a part of the text. */
  readonly struck: Map<number, Map<number, string>>
}

/** The styles of cells that are struck out, or print nothing (`;;;`), by the styles of the workbook. */
export function unseenStyles(styles: string): ReadonlySet<string> {
  const fonts = indicesIn(sectionOf(styles, 'fonts').match(FONTS), (font) => STRIKE.test(font))
  const formats = new Set(
    (sectionOf(styles, 'numFmts').match(PRINTING_NOTHING) ?? []).map((one) => attributeOf(one, 'numFmtId')),
  )
  return indicesIn(
    sectionOf(styles, 'cellXfs').match(STYLES),
    (style) => fonts.has(attributeOf(style, 'fontId')) || formats.has(attributeOf(style, 'numFmtId')),
  )
}

const indicesIn = (tags: readonly string[] | null, isWanted: (tag: string) => boolean): Set<string> =>
  new Set((tags ?? []).flatMap((tag, index) => (isWanted(tag) ? [String(index)] : [])))

/** The visible part of shared strings with struck-out parts, by their index. */
export function partlyStruck(strings: string): ReadonlyMap<string, string> {
  const found = STRIKE.test(strings) ? (strings.match(STRINGS) ?? []).entries() : []
  return new Map(
    Array.from(found).flatMap(([index, one]) => (STRIKE.test(one) ? [[String(index), seenIn(one)]] : [])),
  )
}

const seenIn = (string: string): string =>
  (string.match(RUNS) ?? [])
    .filter((run) => !STRIKE.test(run))
    .map((run) => textInXml(/<(?:\w+:)?t(?: [^<>]*)?>([^<]*)</.exec(run)?.[1] ?? ''))
    .join('')
    .trim()

/** A text of XML without its entities. */
export const textInXml = (xml: string): string =>
  xml.replace(/&(?:amp|lt|gt|quot|apos);/g, (one) => ENTITIES[one] ?? one)

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

const FONTS = /<(?:\w+:)?font(?:\/>|>[\s\S]*?<\/(?:\w+:)?font>)/g
const STRIKE = /<(?:\w+:)?strike(?![^<>]*val="(?:0|false)")[\s/>]/
const STYLES = /<(?:\w+:)?xf [^<>]*>/g
const PRINTING_NOTHING = /<(?:\w+:)?numFmt (?=[^<>]*formatCode=";;+")[^<>]*>/g
const STRINGS = /<(?:\w+:)?si(?:\/>|>(?:[^<]|<(?!\/?(?:\w+:)?si>))*<\/(?:\w+:)?si>)/g
const RUNS = /<(?:\w+:)?r>(?:[^<]|<(?!\/?(?:\w+:)?r>))*<\/(?:\w+:)?r>/g

const sectionOf = (xml: string, name: string): string => {
  const start = new RegExp(`<(?:\\w+:)?${name}[ >]`).exec(xml)?.index ?? -1
  const end = start < 0 ? -1 : xml.indexOf(`${name}>`, start)
  return end < 0 ? '' : xml.slice(start, end)
}

const attributeOf = (tag: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

const TAGS = /<(?:\w+:)?(row|col|c) [^<>]*>(?:<(?:\w+:)?v>(\d+)<|<is>((?:[^<]|<(?!\/?is>))*)<\/is>)?/g
const MAY_HIDE = /hidden=|(?:width|ht)="0|strike/

/** Collects what is hidden from pieces of a worksheet's XML, in their order. */
export function createHiddenReader(styles: ReadonlySet<string>, strings: ReadonlyMap<string, string>) {
  const hidden: HiddenCells = { rows: new Set(), columns: new Set(), struck: new Map() }
  let rest = ''
  const seeCell = (tag: string, value: string, own: string) => {
    const part = STRIKE.test(own) ? seenIn(fromLatin1(own)) : undefined
    const shared = attributeOf(tag, 't') === 's' ? strings.get(value) : part
    const seen = styles.has(attributeOf(tag, 's')) ? '' : shared
    if (seen !== undefined) addStruck(hidden.struck, attributeOf(tag, 'r'), seen)
  }
  const see = (tag: string, name: string, value = '', own = '') => {
    if (name === 'row' && isHidden(tag, 'ht')) hidden.rows.add(Number(attributeOf(tag, 'r')))
    if (name === 'col' && isHidden(tag, 'width')) addColumns(hidden.columns, tag)
    if (name === 'c') seeCell(tag, value, own)
  }
  return {
    hidden,
    read: (piece: string): void => {
      const text = rest + piece
      const open = text.lastIndexOf('<is>')
      const end = text.lastIndexOf('<', (open > text.lastIndexOf('</is>') ? open : text.length) - SEEN_AGAIN)
      rest = end < 0 || text.length - end > LONGEST_CELL ? '' : text.slice(end)
      if (styles.size + strings.size === 0 && !MAY_HIDE.test(text)) return
      for (const [tag, name = '', value, own] of text.matchAll(TAGS)) see(tag, name, value, own)
    },
  }
}

/** Worksheets are read as latin1. */
const fromLatin1 = (text: string): string => Buffer.from(text, 'latin1').toString()

/** Tags at the end of a piece are seen with the next one, too: a cell may go on there. */
const SEEN_AGAIN = 100
const LONGEST_CELL = 40_000

const isHidden = (tag: string, size: string): boolean =>
  /^(?:1|true)$/.test(attributeOf(tag, 'hidden')) || /^0(?:[.]0*)?$/.test(attributeOf(tag, size))

function addColumns(columns: Set<number>, tag: string): void {
  const [from, till] = [Number(attributeOf(tag, 'min')), Number(attributeOf(tag, 'max'))]
  for (let column = from; column <= Math.min(till, MAX_COLUMNS); column += 1) columns.add(column - 1)
}

function addStruck(struck: HiddenCells['struck'], reference: string, seen: string): void {
  const [, letters = '', line = ''] = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? []
  if (letters === '') return
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  const cells = struck.get(Number(line)) ?? new Map<number, string>()
  struck.set(Number(line), cells.set(column, seen))
}

/** The rows as they are seen: without hidden ones, and with blanks in place of other hidden cells. */
export function visibleRows(rows: readonly SheetRow[], hidden: HiddenCells): SheetRow[] {
  if (hidden.rows.size + hidden.columns.size + hidden.struck.size === 0) return [...rows]
  return rows.flatMap(({ line, cells }) => {
    const struck = hidden.struck.get(line)
    const seen = cells.map((cell, index) => (hidden.columns.has(index) ? '' : (struck?.get(index) ?? cell)))
    return hidden.rows.has(line) || seen.every((cell) => cell === '') ? [] : [{ line, cells: seen }]
  })
}

/** The omitted cells in words: `2 hidden rows`, `the hidden columns C`. */
export function describeHidden(
  rows: readonly SheetRow[],
  { rows: lines, columns, struck }: HiddenCells,
): string[] {
  const filled = rows.filter(({ line }) => lines.has(line)).length
  const used = [...columns].filter((column) => rows.some(({ cells }) => (cells[column] ?? '') !== ''))
  const cells = rows.reduce(
    (sum, row) => sum + [...(struck.get(row.line)?.keys() ?? [])].filter((at) => row.cells[at]).length,
    0,
  )
  return [
    ...(filled > 0 ? [countOf(filled, 'hidden row')] : []),
    ...(used.length > 0 ? [`the hidden columns ${used.map(letterOf).join(', ')}`] : []),
    ...(cells > 0 ? [countOf(cells, 'struck-out or hidden cell')] : []),
  ]
}

const letterOf = (column: number): string =>
  (column >= 26 ? letterOf(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))
