import { type Element as Node, xml2js } from 'xml-js'
import { type Row, type Rows, rowsIn, type XmlNode } from '#lib/xml/answer-rows.ts'

/** The lists of an answer as columns of text, what stands alone as a line for each. What is not XML stays as it is. */
export function asTables(body: string): string {
  const root = rootOf(body)
  return root ? rowsIn(root).map(asTable).join('\n\n') : body
}

function rootOf(body: string): XmlNode | undefined {
  try {
    const { elements = [] } = xml2js(body) as Node
    return elements.filter(({ type }) => type === 'element').map(nodeOf)[0]
  } catch {
    return undefined
  }
}

const nodeOf = ({ name = '', attributes = {}, elements = [] }: Node): XmlNode => ({
  name,
  attributes: Object.entries(attributes).map(([key, value]) => [key, String(value)] as const),
  children: elements.filter(({ type }) => type === 'element').map(nodeOf),
  text: elements.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
})

function asTable({ title, rows }: Rows): string {
  const [only] = rows
  if (rows.length === 1 && only) return inColumns(Object.entries(only))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [title, inColumns([names, ...rows.map((row) => cellsOf(row, names))])].join('\n')
}

const cellsOf = (row: Row, names: readonly string[]): string[] => names.map((name) => row[name] ?? '')

function inColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_cell, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
