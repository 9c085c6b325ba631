import type { Party } from '../parties.ts'
import {
  type DocumentColumn,
  type DocumentFact,
  type DocumentWords,
  documentWords,
  isListOfSeller,
  lineColumns,
  paymentCode,
  printedCallColumns,
} from './document-facts.ts'
import { createLineSums, type ListedCalls, type PrintedLine } from './printed-call.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { QrCode } from './transfer-code.ts'

/** The page needs nothing else, and no script can run in it. A browser prints it on the paper that it has. */
const STYLE = `
@page { margin: 16mm 18mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
* { box-sizing: border-box; }
html { color-scheme: light; background: #fff; color: #1b2330; font: 10pt/1.45 Inter, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
body { max-width: 180mm; margin: 0 auto; padding: 10mm 5mm; }
header { display: flex; justify-content: space-between; gap: 8mm; align-items: flex-start; border-bottom: 1.5pt solid var(--brand); padding-bottom: 5mm; }
header img { max-height: 18mm; max-width: 60mm; }
h1 { font-size: 18pt; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 12pt; margin: 0 0 2mm; }
address { font-style: normal; white-space: pre-line; overflow-wrap: anywhere; }
small, th, dt, .muted { color: #566072; font-size: 8.5pt; }
.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 8mm; margin: 7mm 0; }
.facts { display: flex; flex-wrap: wrap; gap: 3mm 9mm; margin: 0 0 7mm; }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th { text-align: left; font-weight: 600; border-bottom: 1pt solid #9aa3b2; padding: 1.5mm 1.5mm 1.5mm 0; }
td { vertical-align: top; border-bottom: .5pt solid #dfe3ea; padding: 1.8mm 1.5mm 1.8mm 0; }
main td:first-child, .calls td, dd { overflow-wrap: anywhere; }
.calls table + h2 { margin-top: 6mm; break-after: avoid; }
.calls td:first-child { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; padding-right: 0; padding-left: 3mm; }
.number + :not(.number) { padding-left: 3mm; }
.totals { width: auto; min-width: 45%; margin: 4mm 0 7mm auto; break-inside: avoid; }
.totals th { border: 0; font-size: 10pt; font-weight: 400; }
.totals td { border: 0; }
.totals tr > * { padding-top: .8mm; padding-bottom: .8mm; }
.totals tr:last-child > *, .totals tr:nth-last-child(2) > * { padding-bottom: 1.8mm; }
.totals tr:last-child > * { font-weight: 700; font-size: 12pt; color: #1b2330; border-top: 1.5pt solid var(--brand); }
.closing { break-inside: avoid; display: flex; justify-content: space-between; align-items: flex-start; gap: 8mm; }
.closing p { margin: 0; white-space: pre-line; }
figure { margin: 0; flex: none; }
figure svg { display: block; width: 28mm; height: 28mm; margin: 0 0 3mm auto; }
figcaption { font-size: 8pt; color: #566072; }
footer { break-inside: avoid; white-space: pre-line; color: #566072; font-size: 8pt; border-top: .5pt solid #dfe3ea; margin-top: 8mm; padding-top: 3mm; }
.calls td, .calls th { font-size: 8pt; padding-top: .8mm; padding-bottom: .8mm; }
@media print { body { padding: 0; max-width: none; } }`

const BRAND_COLOUR = '#1f4f8f'

/** Writes a document, or the list of its calls, as a page to print. The calls are never all in memory. */
export async function* documentPage(
  document: PrintedDocument,
  calls: ListedCalls | undefined = undefined,
  words: DocumentWords = documentWords(document, calls && 'calls'),
): AsyncGenerator<string> {
  const { language, brand } = document
  const style = `:root { --brand: ${brand.colour || BRAND_COLOUR}; }${STYLE}`
  yield `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(words.title)}</title><style>${style}</style></head><body>
${calls ? '<main class="calls">' : '<main>'}${headOf(document, words)}`
  if (calls) yield* callsOf(document, words, calls)
  else yield `${rowsOf(document, words)}${closingOf(document, words)}${footerOf(document)}`
  yield '</main></body></html>\n'
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPED[character] ?? '')

const tag = (name: string, text: string, attributes = ''): string =>
  `<${name}${attributes}>${escaped(text)}</${name}>`

const cell = (name: 'td' | 'th', text: string, isNumber: boolean): string =>
  tag(name, text, `${name === 'th' ? ' scope="col"' : ''}${isNumber ? ' class="number"' : ''}`)

const cellsOf = <R>(columns: readonly DocumentColumn<R>[], row: R): string =>
  `<tr>${columns.map((column) => cell('td', column.cell(row), column.isNumber)).join('')}</tr>`

function headOf(document: PrintedDocument, { text, title, facts }: DocumentWords): string {
  const { seller, buyer, brand } = document
  const logo = brand.logo === '' ? '' : `<img src="${escaped(brand.logo)}" alt="${escaped(seller.name)}">`
  return `<header>${tag('h1', title)}${logo}</header>
<div class="parties">${partyOf(text, 'from', seller)}${isListOfSeller(document) ? '' : partyOf(text, 'to', buyer)}</div>
<dl class="facts">${facts.map(factOf).join('')}</dl>`
}

function partyOf(
  text: DocumentWords['text'],
  side: 'from' | 'to',
  { name, address, vat_number: number }: Party,
): string {
  const lines = [address, ...(number === '' ? [] : [text('vatNumber', { number })])]
  return `<section>${tag('small', text(side))}<address><strong>${escaped(name)}</strong>
${escaped(lines.join('\n'))}</address></section>`
}

const factOf = ([label, value]: DocumentFact): string => `<div>${tag('dt', label)}${tag('dd', value)}</div>`

function rowsOf({ rows }: PrintedDocument, { columns, totals }: DocumentWords): string {
  const body = rows.map((row) => cellsOf(columns, row))
  const sums = totals.map(
    ([label, value]) => `<tr>${tag('th', label, ' scope="row"')}${cell('td', value, true)}</tr>`,
  )
  return `<table>${headOfList(columns)}<tbody>${body.join('\n')}</tbody></table>
<table class="totals"><tbody>${sums.join('')}</tbody></table>`
}

const headOfList = <R>(columns: readonly DocumentColumn<R>[]): string =>
  `<thead><tr>${columns.map(({ title, isNumber }) => cell('th', title, isNumber)).join('')}</tr></thead>`

const closingOf = (document: PrintedDocument, { closing, text }: DocumentWords): string =>
  `<div class="closing">${tag('p', closing.join('\n'))}${codeOf(paymentCode(document), text('payByCode'))}</div>`

function codeOf(code: QrCode | undefined, label: string): string {
  if (!code) return ''
  const { side, path } = code
  const svg = `<svg viewBox="0 0 ${side} ${side}" aria-hidden="true" shape-rendering="crispEdges"><path d="${path}"/></svg>`
  return `<figure>${svg}${tag('figcaption', label)}</figure>`
}

const footerOf = ({ brand: { footer } }: PrintedDocument): string =>
  footer === '' ? '' : tag('footer', footer)

async function* callsOf(
  document: PrintedDocument,
  words: DocumentWords,
  listed: ListedCalls,
): AsyncGenerator<string> {
  const { text } = words
  if (listed === 'erased') return yield tag('p', text('erased'))
  const columns = printedCallColumns(document, words)
  yield `<table>${headOfList(columns)}<tbody>`
  const sums = createLineSums()
  for await (const calls of listed) {
    yield calls.map((call) => `${cellsOf(columns, call)}\n`).join('')
    for (const call of calls) sums.add(call)
  }
  yield `</tbody></table>${sums.isEmpty() ? tag('p', text('noCalls')) : ''}${linesOf(document, words, sums.lines())}`
}

function linesOf(document: PrintedDocument, words: DocumentWords, lines: readonly PrintedLine[]): string {
  if (lines.length === 0) return ''
  const columns = lineColumns(document, words)
  return `${tag('h2', words.text('lines'))}<table>${headOfList(columns)}<tbody>${lines.map((line) => cellsOf(columns, line)).join('\n')}</tbody></table>`
}
