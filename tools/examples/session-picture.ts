import { type Element, element, withAttributes } from '#lib/xml/element.ts'
import { render } from '#lib/xml/render.ts'

/** A command of a terminal session, with the lines that it printed. */
export interface RecordedCommand {
  readonly command: string
  readonly lines: readonly string[]
}

/** The characters of a line. */
const COLUMNS = 104
/** A longer line is cut after this many rows. */
const MAX_ROWS = 2

const FONT_SIZE = 14
const CHARACTER_WIDTH = 8.43
const ROW_HEIGHT = 20
const MARGIN = 20

/** Seconds between a command and its output, and until the next command. */
const ANSWER_SECONDS = 0.7
const NEXT_SECONDS = 2.3

const STYLE = `
rect { fill: #16181d }
text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #c9d1d9; white-space: pre }
.command { fill: #7ee2b8; font-weight: 600 }
text { animation: appear 0.01s both }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
`

interface Row {
  readonly text: string
  readonly isCommand: boolean
  /** The second at which the row appears. */
  readonly at: number
}

/** An SVG in which the commands and what they printed appear one after the other. It shows all of them in the end. */
export function sessionPicture(session: readonly RecordedCommand[]): string {
  const rows = session.flatMap(rowsOf).slice(0, -1)
  const width = String(Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN))
  const height = String(rows.length * ROW_HEIGHT + 2 * MARGIN)
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  }
  const title = element(
    'title',
    'A terminal: a signed call, its answer as a table, a refused hash explained, a price explained',
  )
  const background = withAttributes({ width, height, rx: '8' }, element('rect'))
  const picture = withAttributes(
    attributes,
    element('svg', title, element('style', STYLE), background, ...rows.map(drawn)),
  )
  return `${render(picture).replaceAll('<text', '\n<text')}\n`
}

function rowsOf({ command, lines }: RecordedCommand, index: number): Row[] {
  const at = index * (ANSWER_SECONDS + NEXT_SECONDS)
  const own = wrapped(`$ ${command}`).map((text) => ({ text, isCommand: true, at }))
  const printed = lines.flatMap((line) => cut(wrapped(line)))
  const answer = [...printed, ''].map((text) => ({ text, isCommand: false, at: at + ANSWER_SECONDS }))
  return [...own, ...answer]
}

const wrapped = (line: string): string[] => line.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? ['']

const cut = (rows: readonly string[]): string[] =>
  rows.length <= MAX_ROWS
    ? [...rows]
    : [...rows.slice(0, MAX_ROWS - 1), `${rows[MAX_ROWS - 1]?.slice(0, -1)}…`]

function drawn({ text, isCommand, at }: Row, index: number): Element {
  const place = { x: String(MARGIN), y: String(MARGIN + ROW_HEIGHT * (index + 0.75)) }
  const look = { ...(isCommand && { class: 'command' }), style: `animation-delay: ${at.toFixed(1)}s` }
  return withAttributes({ ...place, ...look }, element('text', text))
}
