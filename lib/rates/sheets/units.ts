import { rateUnitIn } from '#lib/csv/headings.ts'
import { currencyIn, priceText } from './numbers.ts'
import { NOTES, type Profile } from './profile.ts'
import { type Cell, type Question, quoteCell, quoteText } from './question.ts'

/** A column of amounts. */
interface PriceColumn {
  readonly heading: string
  readonly cells: Iterable<Cell>
}

export interface Prices {
  readonly rate: PriceColumn
  readonly fee: PriceColumn
}

/** The number at the begin or the end of a price does not tell its unit, the rest does. */
export const noteOf = (text: string): string =>
  text.replace(/\d[\d.,\s\u00A0\u202F'\u2019]*(?:E[+-]?\d+)?|[.,]\d+/i, ' ').trim()

/** Asks for the unit of the rates and of the fees, and for words beside them. */
export function decideUnits({ rate, fee }: Prices, profile: Profile) {
  const notes = notesOf(rate.cells)
  const fees = notesOf(fee.cells)
  const unit = unitOf(rate.heading, notes)
  const feeUnit = unitOf(fee.heading, fees)
  const open = [...notes, ...fees].filter(
    ([note]) => !isPartOfPrice(note) && profile.notes?.[note] === undefined,
  )
  return {
    rate_factor: profile.rate_factor ?? (unit && askFactor(unit.text)),
    fee_factor: profile.fee_factor ?? (fees.size > 0 ? feeFactor(unit, feeUnit, fee.heading) : undefined),
    notes: open.length > 0 ? askNotes(open) : undefined,
  }
}

type Notes = ReadonlyMap<string, Cell>

/** The different texts beside the numbers of a column, each with a cell that has it. */
function notesOf(cells: Iterable<Cell>): Notes {
  const notes = new Map<string, Cell>()
  for (const cell of cells) {
    const note = PLAIN_NUMBER.test(cell.text) ? '' : noteOf(cell.text)
    if (!notes.has(note) && (note === '' ? cell.text !== '' : priceText(cell.text))) notes.set(note, cell)
  }
  return notes
}

const PLAIN_NUMBER = /^\d+(?:[.,]\d*)?$|^[.,]\d+$/

/** The unit that the heading says, or else a cell. */
function unitOf(heading: string, notes: Notes) {
  const named = rateUnitIn(heading)
  if (named) return { ...named, text: heading }
  for (const [note, { text }] of notes) {
    const unit = unitOfNote(note)
    if (unit) return { ...unit, text }
  }
  return undefined
}

const unitOfNote = (note: string) => (note === '' ? undefined : rateUnitIn(SHORT_UNITS[note] ?? note))

const SHORT_UNITS: Readonly<Record<string, string>> = { p: 'pence', P: 'pence', '%': 'cents' }

function askFactor(text: string): Question {
  const { factor, isTaxed = false, isOfCall = false } = rateUnitIn(text) ?? {}
  const others = [factor ?? [], isTaxed ? ['1/1.2', '1/1.21'] : [], isOfCall ? 'call' : []].flat()
  const tax = isTaxed ? ', without tax' : ''
  const call = isOfCall ? ' "call" makes it the price of a connection' : ''
  return {
    about: 'rate_factor',
    asks: `By which factor is a rate in ${quoteText(text)} multiplied to get the price of a minute in whole currency units${tax}?${call}`,
    choices: [...new Set(['1', '0.01', '60', ...others])],
  }
}

/** A fee counts no time: 60 for rates of a second is no factor of fees. Cents are cents in both. */
function feeFactor(
  unit: ReturnType<typeof unitOf>,
  feeUnit: ReturnType<typeof unitOf>,
  heading: string,
): Question | undefined {
  if ((unit === undefined || unit.isMoneyOnly) && feeUnit === undefined) return undefined
  const likely = (feeUnit ?? unit)?.moneyFactor ?? '1'
  return {
    about: 'fee_factor',
    asks: `By which factor is a fee in ${quoteText(feeUnit?.text ?? heading)} multiplied to get whole currency units?`,
    choices: [...new Set(['1', '0.01', likely])],
  }
}

const askNotes = (open: readonly (readonly [string, Cell])[]): Question => ({
  about: 'notes',
  asks: `Is the number beside these words the price, or is the row refused: ${open
    .slice(0, MAX_NOTES)
    .map(([, cell]) => quoteCell(cell))
    .join(', ')}`,
  choices: NOTES,
  words: open.slice(0, MAX_NOTES).map(([note]) => note),
})

const MAX_NOTES = 10

const MINUTE_WORDS = new Set('per a the min mins minute minutes mn pm m each'.split(' '))

/** A currency, or a unit, beside a number: what else stands there may be a condition. */
function isPartOfPrice(note: string): boolean {
  if (note === '' || unitOfNote(note)) return true
  const rest = note.replace(/\p{Sc}|[\s./()-]+/gu, ' ').trim()
  return rest
    .split(' ')
    .every((word) => word === '' || MINUTE_WORDS.has(word.toLowerCase()) || isCurrency(word))
}

const isCurrency = (word: string): boolean =>
  currencyIn(word.toUpperCase()) !== undefined || /^(?:US|CA?|AU?|NZ|HK|R|kr|zł|Rs)$/i.test(word)
