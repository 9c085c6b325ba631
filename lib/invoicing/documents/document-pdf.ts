import type { Party } from '../parties.ts'
import { logoBytes } from './brand.ts'
import {
  type DocumentColumn,
  type DocumentWords,
  documentWords,
  isListOfSeller,
  lineColumns,
  paymentCode,
  printedCallColumns,
} from './document-facts.ts'
import { holdEInvoice } from './factur-x.ts'
import { GREY, MARGIN, openPdf, type PdfPage, widthOf } from './pdf-page.ts'
import { createLineSums, type ListedCalls, type PrintedCall, type PrintedLine } from './printed-call.ts'
import type { PrintedDocument, PrintedRow } from './printed-document.ts'
import type { QrCode } from './transfer-code.ts'

const BRAND_COLOUR = '#1f4f8f'
const GAP = 6

/** Draws a document from top to bottom. `y` is where the next line begins. */
interface Drawing {
  readonly document: PrintedDocument
  readonly words: DocumentWords
  readonly page: PdfPage
  readonly brand: string
  /** The number of the page. */
  number: number
  y: number
}

/**
 * Writes a document as a PDF, or the list of its calls, whose full pages leave the memory. Equal documents
 * have equal bytes. With the text of an e-invoice it is a Factur-X.
 */
export async function* documentPdf(
  document: PrintedDocument,
  calls: ListedCalls | undefined = undefined,
  eInvoice: string | undefined = undefined,
  words: DocumentWords = documentWords(document, calls && 'calls'),
): AsyncGenerator<Uint8Array> {
  const info = {
    paper: document.paper,
    language: document.language,
    title: words.title,
    author: document.seller.name,
    created: new Date(`${document.issued}T00:00:00Z`),
  }
  const page = openPdf({ ...info, isArchived: eInvoice !== undefined, isStreamed: calls !== undefined })
  if (eInvoice !== undefined) holdEInvoice(page.pdf, info, eInvoice)
  const brand = document.brand.colour || BRAND_COLOUR
  const drawing: Drawing = { document, words, page, brand, number: 1, y: MARGIN }
  if (calls) drawNumber(drawing)
  drawHead(drawing)
  drawParties(drawing)
  drawFacts(drawing)
  if (calls) yield* drawCalls(drawing, calls)
  else {
    drawRows(drawing)
    drawTotals(drawing)
    drawClosing(drawing)
    drawNumbers(drawing)
  }
  page.pdf.end()
  for await (const bytes of page.pdf) yield bytes as Uint8Array
}

// Pages

function newPage(drawing: Drawing): void {
  drawing.page.addPage()
  drawing.number += 1
  drawing.y = MARGIN
  if (drawing.page.isStreamed) drawNumber(drawing)
}

/** Begins a page if there is no room for the next block. */
function makeRoom(drawing: Drawing, height: number): void {
  if (drawing.y + height > drawing.page.bottom) newPage(drawing)
}

/** The number of pages is known last, and a list of calls is written before. */
function drawNumbers(drawing: Drawing): void {
  const pages = drawing.number
  for (drawing.number = 1; drawing.number <= pages; drawing.number += 1) {
    drawing.page.turnTo(drawing.number - 1)
    drawNumber(drawing, pages)
  }
}

function drawNumber({ page, words, document, number }: Drawing, pages?: number): void {
  const { left, width, footer } = page
  const ink = { size: 8, colour: GREY }
  page.line(`${words.title}  ·  ${document.seller.name}`, left, footer, { ...ink, width: width * 0.7 })
  const of = { page: String(number), pages: String(pages) }
  const text = words.text(pages === undefined ? 'pageOfList' : 'page', of)
  page.line(text, left, footer, { ...ink, width, isRight: true })
}

// The head

const LOGO = { width: 160, height: 48 }

function drawHead(drawing: Drawing): void {
  const { page, words, document, brand } = drawing
  const { left, width, pdf } = page
  const { logo } = document.brand
  const own = logo === '' ? width : width - LOGO.width - GAP
  const height = page.block(words.title, left, drawing.y, { size: 19, weight: 'bold', width: own })
  if (logo !== '') {
    const fit = { fit: [LOGO.width, LOGO.height] as [number, number], align: 'right' as const }
    pdf.image(logoBytes(logo), left + width - LOGO.width, drawing.y, fit)
  }
  drawing.y += Math.max(height, logo === '' ? 0 : LOGO.height) + GAP
  page.rule(drawing.y, { colour: brand, thickness: 1.5 })
  drawing.y += 3 * GAP
}

function drawParties(drawing: Drawing): void {
  const { page, words, document, y } = drawing
  const { text } = words
  const width = page.width / 2 - GAP
  const draw = (label: string, { name, address, vat_number }: Party, x: number): number => {
    page.line(label, x, y, { size: 8, colour: GREY, width })
    const head = 12 + page.block(name, x, y + 12, { size: 10, weight: 'bold', width })
    const lines = [address, ...(vat_number === '' ? [] : [text('vatNumber', { number: vat_number })])]
    return head + page.block(lines.filter((line) => line !== '').join('\n'), x, y + head, { width })
  }
  const heights = [
    draw(text('from'), document.seller, page.left),
    isListOfSeller(document) ? 0 : draw(text('to'), document.buyer, page.left + page.width / 2 + GAP),
  ]
  drawing.y += Math.max(...heights) + 3 * GAP
}

/** Facts are side by side as long as they have room. */
function drawFacts(drawing: Drawing): void {
  const { page, words } = drawing
  const end = page.left + page.width
  let x = page.left
  for (const [label, value] of words.facts) {
    const own = Math.max(widthOf(label, 'regular') * 8, widthOf(value, 'regular') * 9)
    if (x > page.left && x + own > end) {
      x = page.left
      drawing.y += 12 + 3 * GAP
    }
    page.line(label, x, drawing.y, { size: 8, colour: GREY, width: page.width })
    page.line(value, x, drawing.y + 12, { width: page.width })
    x += own + 4 * GAP
  }
  drawing.y += 12 + 6 * GAP
}

// Lists

const placed = <R>({ left, width }: PdfPage, columns: readonly DocumentColumn<R>[]) => {
  const shares = columns.reduce((sum, { share }) => sum + share, 0)
  let x = left
  return columns.map((column, index) => {
    const own = (width * column.share) / shares
    const place = { ...column, x, width: index === columns.length - 1 ? own : own - GAP }
    x += own
    return place
  })
}

type Placed<R> = ReturnType<typeof placed<R>>

function drawColumnTitles<R>(drawing: Drawing, columns: Placed<R>, size: number): void {
  for (const { title, x, width, isNumber } of columns)
    drawing.page.line(title, x, drawing.y, { size, colour: GREY, weight: 'bold', width, isRight: isNumber })
  drawing.y += size + GAP
  drawing.page.rule(drawing.y, { colour: '#9aa3b2', thickness: 1 })
  drawing.y += GAP
}

/** The first cell of a row may have several lines. */
function drawRows(drawing: Drawing): void {
  const { page, document, words } = drawing
  const columns = placed<PrintedRow>(page, words.columns)
  const [first, ...others] = columns
  if (!first) return
  drawColumnTitles(drawing, columns, 8)
  for (const row of document.rows) {
    const name = first.cell(row)
    const height = page.heightOf(name, first.width)
    if (drawing.y + height > page.bottom) {
      newPage(drawing)
      drawColumnTitles(drawing, columns, 8)
    }
    page.block(name, first.x, drawing.y, { width: first.width })
    for (const { cell, x, width, isNumber } of others)
      page.line(cell(row), x, drawing.y, { width, isRight: isNumber })
    drawing.y += height + 4
    page.rule(drawing.y)
    drawing.y += 5
  }
}

const SUM = { size: 9.5, weight: 'regular' } as const
const TOTAL = { size: 12, weight: 'bold' } as const

/** How to pay stays with the total, unless it is very long. */
function drawTotals(drawing: Drawing): void {
  const { page, words, brand } = drawing
  const { left, width } = page
  const half = width / 2
  const closing = words.closing.reduce((sum, sentence) => sum + page.heightOf(sentence, width) + 2, 0)
  const code = paymentCode(drawing.document) ? CODE.side + CODE.label : 0
  makeRoom(drawing, words.totals.length * 15 + 5 * GAP + Math.min(Math.max(closing, code), page.bottom / 3))
  drawing.y += GAP
  for (const [index, [label, value]] of words.totals.entries()) {
    const isTotal = index === words.totals.length - 1
    const how = isTotal ? TOTAL : SUM
    if (isTotal) {
      page.rule(drawing.y, { colour: brand, thickness: 1.5, from: left + half })
      drawing.y += GAP
    }
    const own = widthOf(label, how.weight) * how.size + GAP
    page.line(label, left + half, drawing.y, { ...how, width: half })
    page.line(value, left + half + own, drawing.y, { ...how, width: half - own, isRight: true })
    drawing.y += isTotal ? 18 : 15
  }
  drawing.y += 2 * GAP
}

function drawClosing(drawing: Drawing): void {
  const { page, words, document } = drawing
  const code = paymentCode(document)
  const ends = code ? drawCode(drawing, code) : 0
  const width = code ? page.width - CODE.side - 2 * GAP : page.width
  for (const sentence of words.closing) {
    makeRoom(drawing, page.heightOf(sentence, width))
    drawing.y += sentence === '' ? GAP : page.block(sentence, page.left, drawing.y, { width }) + 2
  }
  drawing.y = Math.max(drawing.y, ends)
  drawFooter(drawing)
}

/** In points. The label keeps the four light modules free that a QR code has around it. */
const CODE = { side: 80, label: 22 }

/** Draws a code at the right, and returns where it ends. */
function drawCode(drawing: Drawing, { side, path }: QrCode): number {
  makeRoom(drawing, CODE.side + CODE.label)
  const { page, words, y } = drawing
  const end = page.left + page.width
  page.pdf
    .save()
    .translate(end - CODE.side, y)
    .scale(CODE.side / side)
    .path(path)
    .fill('black')
    .restore()
  const label = { size: 7, colour: GREY, width: 2 * CODE.side, isRight: true }
  page.line(words.text('payByCode'), end - 2 * CODE.side, y + CODE.side + 2 * GAP, label)
  return y + CODE.side + CODE.label
}

function drawFooter(drawing: Drawing): void {
  const { page, document } = drawing
  const { footer } = document.brand
  if (footer === '') return
  const ink = { size: 7.5, colour: GREY }
  makeRoom(drawing, page.heightOf(footer, page.width, ink) + 4 * GAP)
  page.rule(drawing.y + 2 * GAP)
  drawing.y += 3 * GAP
  drawing.y += page.block(footer, page.left, drawing.y, { ...ink, width: page.width })
}

const SMALL_SIZE = 7.5
const ROW_HEIGHT = 12

async function* drawCalls(drawing: Drawing, listed: ListedCalls): AsyncGenerator<Uint8Array> {
  const { page, words, document } = drawing
  const note = (text: string) => page.line(text, page.left, drawing.y, { width: page.width })
  if (listed === 'erased') return void note(words.text('erased'))
  const columns = placed<PrintedCall>(page, printedCallColumns(document, words))
  const sums = createLineSums()
  drawColumnTitles(drawing, columns, SMALL_SIZE)
  for await (const calls of listed)
    for (const call of calls) {
      yield* drawSmallRow(drawing, columns, call)
      sums.add(call)
    }
  if (sums.isEmpty()) note(words.text('noCalls'))
  if (sums.lines().length > 0) yield* drawLines(drawing, sums.lines())
}

function* drawLines(drawing: Drawing, lines: readonly PrintedLine[]): Generator<Uint8Array> {
  const { page, words, document } = drawing
  const columns = placed<PrintedLine>(page, lineColumns(document, words))
  drawing.y += 3 * GAP
  makeRoom(drawing, 6 * ROW_HEIGHT)
  const title = { size: 12, weight: 'bold', width: page.width } as const
  drawing.y += page.block(words.text('lines'), page.left, drawing.y, title) + GAP
  drawColumnTitles(drawing, columns, SMALL_SIZE)
  for (const line of lines) yield* drawSmallRow(drawing, columns, line)
}

/** Draws a row. If that begins a page, the bytes of those before are returned. */
function* drawSmallRow<R>(drawing: Drawing, columns: Placed<R>, row: R): Generator<Uint8Array> {
  if (drawing.y + ROW_HEIGHT > drawing.page.bottom) {
    newPage(drawing)
    drawColumnTitles(drawing, columns, SMALL_SIZE)
    yield* drawing.page.take()
  }
  for (const { cell, x, width, isNumber } of columns)
    drawing.page.line(cell(row), x, drawing.y, { size: SMALL_SIZE, width, isRight: isNumber })
  drawing.y += ROW_HEIGHT
}
