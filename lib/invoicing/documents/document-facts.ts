import { minorDigits } from '#lib/base/currency-digits.ts'
import { type Formats, formatsIn } from '#lib/base/language/language.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { timeText } from '../draft.ts'
import { rowWord } from '../row-names.ts'
import { documentTexts } from './document-texts.ts'
import { CALL_DECIMALS, type PrintedCall, type PrintedLine } from './printed-call.ts'
import type { PrintedDocument, PrintedRow } from './printed-document.ts'
import { type QrCode, transferCode } from './transfer-code.ts'

export type DocumentFact = readonly [label: string, value: string]

/** The words of a document in its language, which its page and its PDF share. */
export interface DocumentWords {
  readonly text: ReturnType<typeof documentTexts>
  readonly formats: Formats
  readonly title: string
  readonly facts: readonly DocumentFact[]
  readonly columns: readonly DocumentColumn<PrintedRow>[]
  readonly totals: readonly DocumentFact[]
  /** The terms of payment, sentence by sentence. */
  readonly closing: readonly string[]
}

/** A column of a list. Numbers are aligned right. */
export interface DocumentColumn<R> {
  readonly title: string
  readonly isNumber: boolean
  /** Its share of the width. */
  readonly share: number
  readonly cell: (row: R) => string
}

/** The words of a document, or of the list of its calls. */
export function documentWords(document: PrintedDocument, list?: 'calls'): DocumentWords {
  const text = documentTexts(document.language)
  const formats = formatsIn(document.language)
  const given = { document, text, formats }
  const { kind, number } = document
  return {
    text,
    formats,
    title: list
      ? `${text('itemisedCalls')} ${text('itemisedCallsOf', { number })}`
      : `${text(kind === 'invoice' ? 'invoice' : 'creditNote')} ${number}`,
    facts: factsOf(given),
    columns: columnsOf(given),
    totals: totalsOf(given),
    closing: closingOf(given),
  }
}

interface Given extends Pick<DocumentWords, 'text' | 'formats'> {
  readonly document: PrintedDocument
}

const money = ({ document: { currency }, formats }: Given, amount: Money): string =>
  `${formats.amount(amount, currency)} ${currency}`

function factsOf({ document, text, formats }: Given): DocumentFact[] {
  const { issued, due, period, corrects, buyer } = document
  return [
    [text('issued'), formats.day(issued)],
    ...(period
      ? ([[text('period'), `${formats.day(period.from)} – ${formats.day(period.till)}`]] as const)
      : []),
    ...(due === undefined || isSettled(document) ? [] : ([[text('due'), formats.day(due)]] as const)),
    ...(corrects.length === 0 ? [] : ([[text('corrects'), corrects.join(', ')]] as const)),
    [text('customer'), `${buyer.username} (${buyer.id})`],
    ...(buyer.reference === '' ? [] : ([[text('yourReference'), buyer.reference]] as const)),
  ]
}

/** A list that only its seller receives. */
export const isListOfSeller = ({ buyer }: PrintedDocument): boolean => buyer.username === ''

/** The document asks for no payment. */
export const isSettled = ({ isPaid, gross }: Pick<PrintedDocument, 'isPaid' | 'gross'>): boolean =>
  isPaid || isZero(gross)

/** The code of a printed invoice, for all of it. */
export const paymentCode = (document: PrintedDocument): QrCode | undefined =>
  document.kind !== 'invoice' || isSettled(document)
    ? undefined
    : transferCode(document.seller, document.currency, document.gross, document.number)

/** Why there is no VAT, if the settings do not say it (2006/112/EC, article 226); blank in other cases. */
export function vatMention({ vatCategory, language }: PrintedDocument): string {
  if (vatCategory === 'AE') return documentTexts(language)('reverseCharge')
  return vatCategory === 'O' ? documentTexts(language)('outOfScope') : ''
}

/** A column that is blank in every row is left out. */
function columnsOf({ document, text, formats }: Given): DocumentColumn<PrintedRow>[] {
  const number = { isNumber: true }
  const all: readonly DocumentColumn<PrintedRow>[] = [
    { title: text('item'), isNumber: false, share: 36, cell: (row) => nameOf(row, text, formats) },
    { title: text('quantity'), ...number, share: 12, cell: ({ quantity }) => formats.number(quantity) },
    {
      title: text('unit'),
      isNumber: false,
      share: 11,
      cell: ({ unit, quantity }) => text(quantity === '1' ? unit : `${unit}s`),
    },
    { title: text('duration'), ...number, share: 12, cell: ({ time }) => time },
    {
      title: text('price'),
      ...number,
      share: 14,
      cell: ({ price }) => (price === undefined ? '' : priceIn(formats, price, document.currency)),
    },
    {
      title: `${text('sum')} ${document.currency}`,
      ...number,
      share: 15,
      cell: ({ sum }) => formats.amount(sum, document.currency),
    },
  ]
  return all.filter(({ cell }, index) => index === 0 || document.rows.some((row) => cell(row) !== ''))
}

/** A price has all decimals of the currency, or more where it has more. */
const priceIn = (formats: Formats, price: Money, currency: string): string =>
  formats.decimals(price, Math.max(minorDigits(currency), price.split('.')[1]?.length ?? 0))

/** A charge has the first day of its period after its name, a destination its prefix. */
function nameOf({ name, prefix, from }: PrintedRow, text: DocumentWords['text'], { day }: Formats): string {
  const further = from === undefined ? prefix : text('since', { day: day(from) })
  return further === '' ? name : `${name} (${further})`
}

function totalsOf(given: Given): DocumentFact[] {
  const { document, text, formats } = given
  const { net, vat, gross, vatPercent } = document
  const label =
    vatPercent === undefined || isZero(vatPercent)
      ? text('vatOnly')
      : text('vat', { percent: formats.number(vatPercent) })
  return [
    ...sumsByKind(given),
    [text('net'), money(given, net)],
    ...(isZero(vat) && vatPercent === undefined ? [] : [[label, money(given, vat)] as const]),
    [text('total'), money(given, gross)],
  ]
}

/** The sum of the calls and that of everything else, if a document has both. */
function sumsByKind(given: Given): DocumentFact[] {
  const { rows, net, language } = given.document
  const ofCalls = rows.filter(({ unit }) => unit === 'call')
  if (ofCalls.length === 0 || ofCalls.length === rows.length) return []
  const calls = ofCalls.reduce((total, { sum }) => add(total, sum), ZERO)
  return [
    [rowWord('Calls', language), money(given, calls)],
    [rowWord('Charges', language), money(given, subtract(net, calls))],
  ]
}

function closingOf(given: Given): string[] {
  const { document, text, formats } = given
  const { kind, gross, due, isPaid, number, seller } = document
  const sentences = remarksOf(given)
  const amount = money(given, gross)
  if (kind === 'credit note') return [...sentences, text('credited', { amount })]
  if (isSettled(document)) return [...sentences, text(isPaid ? 'paid' : 'nothingDue')]
  if (due === undefined) return sentences
  return [
    ...sentences,
    text('toPay', { amount, day: formats.day(due) }),
    ...seller.bank.split('\n').filter((line) => line !== ''),
    text('reference', { number }),
  ]
}

/** The remarks next to the payment, with a blank line below them. */
function remarksOf({ document, text, formats }: Given): string[] {
  const { accounted, noVatReason, comment } = document
  const amount = accounted && formats.amount(accounted.vat, accounted.currency)
  const remarks = [
    accounted && amount ? text('accounted', { amount, currency: accounted.currency }) : '',
    noVatReason || vatMention(document),
    comment,
  ].filter((one) => one !== '')
  return remarks.length === 0 ? [] : [...remarks, '']
}

export const printedCallColumns = (
  { currency }: PrintedDocument,
  { text, formats }: DocumentWords,
): DocumentColumn<PrintedCall>[] => [
  { title: text('time'), isNumber: false, share: 19, cell: ({ time }) => time },
  { title: text('caller'), isNumber: false, share: 18, cell: ({ from }) => from },
  { title: text('called'), isNumber: false, share: 18, cell: ({ to }) => to },
  { title: text('item'), isNumber: false, share: 21, cell: ({ destination }) => destination },
  { title: text('duration'), isNumber: true, share: 11, cell: ({ duration }) => duration },
  callSumColumn(currency, text, formats),
]

const callSumColumn = (
  currency: string,
  text: DocumentWords['text'],
  formats: Formats,
): DocumentColumn<{ readonly price: Money }> => ({
  title: `${text('sum')} ${currency}`,
  isNumber: true,
  share: 13,
  cell: ({ price }) => formats.decimals(price, CALL_DECIMALS),
})

/** The columns of the sums below the list of calls. */
export const lineColumns = (
  { currency }: PrintedDocument,
  { text, formats }: DocumentWords,
): DocumentColumn<PrintedLine>[] => [
  { title: text('number'), isNumber: false, share: 58, cell: ({ line }) => line },
  { title: text('quantity'), isNumber: true, share: 18, cell: ({ calls }) => formats.number(String(calls)) },
  { title: text('duration'), isNumber: true, share: 11, cell: ({ seconds }) => timeText(seconds) },
  callSumColumn(currency, text, formats),
]
