import { rateUnitIn } from '#lib/csv/rate-headings.ts'
import type { Header } from './columns.ts'
import { currencyIn, priceText } from './numbers.ts'
import { NOTES, type Profile } from './profile.ts'
import { type Cell, type Question, quoteCell, quoteText } from './question.ts'
import type { SheetRow } from './sheet-row.ts'

/** A column of amounts. */
interface PriceColumn {
  readonly heading: string
  readonly cells: Iterable<Cell>
}

/** The text around the number of a price has its unit. */
export const noteOf = (text: string): string =>
  text.replace(/\d[\d.,\s\u00A0\u202F'\u2019]*(?:E[+-]?\d+)?|[.,]\d+/i, ' ').trim()

/** Asks for the unit of the rates and of the fees, for words next to them, and for words of a column. */
export function decideUnits(rate: PriceColumn, fee: PriceColumn, units: Iterable<Cell>, profile: Profile) {
  const notes = notesOf(rate.cells)
  const fees = notesOf(fee.cells)
  const mixed = rateUnitIn(rate.heading) ? [] : mixedUnits(notes)
  const unit = unitOf(rate.heading, mixed.length > 0 ? new Map() : notes)
  const words = [...mixed, ...wordsOf(units)].filter(([word]) => profile.units?.[word] === undefined)
  const feeUnit = unitOf(fee.heading, fees)
  const open = [...notes, ...fees].filter(
    ([note]) => !isPartOfPrice(note) && profile.notes?.[note] === undefined,
  )
  return {
    rate_factor: profile.rate_factor ?? (unit && askFactor(unit.text)),
    fee_factor: profile.fee_factor ?? (fees.size > 0 ? feeFactor(unit, feeUnit, fee.heading) : undefined),
    units: words.length > 0 ? askUnits(words) : undefined,
    notes: open.length > 0 ? askNotes(open) : undefined,
  }
}

type Notes = ReadonlyMap<string, Cell>

/** The different texts next to the numbers of a column, each with a cell that has it. */
function notesOf(cells: Iterable<Cell>): Notes {
  const notes = new Map<string, Cell>()
  for (const cell of cells) {
    const note = PLAIN_NUMBER.test(cell.text) ? '' : noteOf(cell.text)
    if (!notes.has(note) && (note === '' ? cell.text !== '' : priceText(cell.text))) notes.set(note, cell)
  }
  return notes
}

/** The units of prices, if prices of one sheet have several: `0.02/min` and `0.5 per call`. */
function mixedUnits(notes: Notes): (readonly [string, Cell])[] {
  const units = [...notes].filter(([note]) => note !== '' && isPartOfPrice(note))
  const kinds = new Set(units.map(([note]) => JSON.stringify(unitOfNote(note) ?? '')))
  return kinds.size > 1 ? units.filter(([note]) => unitOfNote(note)) : []
}

/** The words of a column of units other than minutes. A number is one of seconds. */
function wordsOf(cells: Iterable<Cell>): (readonly [string, Cell])[] {
  const words = new Map<string, Cell>()
  for (const cell of cells) if (!words.has(cell.text)) words.set(cell.text, cell)
  return [...words].filter(([word]) => unitOfCell(word) !== undefined)
}

function unitOfCell(cell: string) {
  if (cell === '' || isCurrency(cell)) return undefined
  const named = rateUnitIn(cell)
  if (named || /\/|\bper\b/i.test(cell)) return named
  return rateUnitIn(`per ${cell}${/^[\d.]+$/.test(cell) ? ' sec' : ''}`)
}

/** Whether a cell names the unit of its rate: a number of seconds, a minute, a call. */
export function isUnitOfRate(cell: string): boolean {
  const unit = unitOfCell(cell)
  if (unit === undefined) return /\bm(?:in|n|inute)?s?\b/i.test(cell) || isCurrency(cell)
  return unit.isOfCall || unit.factor !== undefined
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

/** A fee counts no time: the factor 60 for rates a second does not apply to fees. Cents are cents in both. */
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

function askUnits(words: readonly (readonly [string, Cell])[]): Question {
  const shown = words.slice(0, MAX_NOTES)
  const units = shown.map(([word]) => unitOfCell(word) ?? unitOfNote(word))
  const factors = units.flatMap((unit) => (unit?.isOfCall ? 'call' : (unit?.factor ?? [])))
  return {
    about: 'units',
    asks: `By which factor is a rate of these units multiplied to get the price of a minute in whole currency units: ${shown.map(([, cell]) => quoteCell(cell)).join(', ')}? "call" makes it the price of a connection`,
    choices: [...new Set(['1', '60', ...factors, 'call'])],
    words: shown.map(([word]) => word),
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

/** A currency, or a unit, next to a number: other words may be a condition. */
function isPartOfPrice(note: string): boolean {
  if (note === '' || unitOfNote(note)) return true
  const rest = note.replace(/\p{Sc}|[\s./()-]+/gu, ' ').trim()
  return rest
    .split(' ')
    .every((word) => word === '' || MINUTE_WORDS.has(word.toLowerCase()) || isCurrency(word))
}

/** Whether nothing next to a number says another unit than the heading. */
export const isOfHeading = (note: string): boolean => isPartOfPrice(note) && unitOfNote(note) === undefined

const isCurrency = (word: string): boolean =>
  currencyIn(word.toUpperCase()) !== undefined || /^(?:US|CA?|AU?|NZ|HK|R|kr|zł|Rs)$/i.test(word)

// Lines around the rates

const PRICES = /\b(?:rates?|prices?|amounts?|charges?|tariffs?)\b/i
const BILLED = /\b(?:increments?|intervals?|billed|billing|pulses?|rounded|rounding)\b/i
const STEPS = /\b\d{1,3} ?[/+:-] ?\d{1,3}\b|\b(?:per|one|full|\d+)[ -]?(?:sec|min)\w*/gi
const IN_FORCE = /\b(?:effective|valid|in force|as of|as from|starting|until)\b/i
const DAYS =
  /\b20\d\d[-/.]\d[\d/.-]*|\b\d{1,2}[-/. ]\d{1,2}[-/. ](?:20)?\d\d\b|(?:\d\w{0,3}[ .-]+)?\b[a-z]{3,9}[ .-]+(?:\d{1,2}(?:st|nd|rd|th)?,? )?20\d\d/gi

const MAX_SHOWN = 5
const MAX_LINE_CHARACTERS = 1000
const MAX_ANSWER_CHARACTERS = 100

/**
 * Asks about lines above and below the rates that say what no column and no setting says: the unit of all
 * rates, their increments, or the day on which they begin. The answer names the days and the steps, so that
 * the profile asks again about others.
 */
export function linesQuestion(
  lines: readonly SheetRow[],
  { names, indices }: Header,
  { lines: noted, rate_factor, billing }: Profile,
): Question | undefined {
  const hasUnit =
    rate_factor !== undefined || rateUnitIn(names[indices.tariff_rate ?? -1] ?? '') !== undefined
  const hasSteps = (billing ?? indices.billing ?? indices.min_time ?? indices.further) !== undefined
  const isDay = (part: string) => IN_FORCE.test(part) && part.search(DAYS) >= 0
  const isSteps = (part: string) => BILLED.test(part) && part.search(STEPS) >= 0
  const isUnit = (part: string) => PRICES.test(part) && !BILLED.test(part) && rateUnitIn(part) !== undefined
  const isOpen = [
    ...((indices.effective_from ?? indices.ends_at) === undefined ? [isDay] : []),
    ...(hasSteps ? [] : [isSteps]),
    ...(hasUnit ? [] : [isUnit]),
  ]
  const open = lines
    .map(({ line, cells }) => ({ line, text: cells.filter(Boolean).join(' ').slice(0, MAX_LINE_CHARACTERS) }))
    .filter(({ text }) => text.split(/[.;!] /).some((part) => isOpen.some((says) => says(part))))
    .slice(0, MAX_SHOWN)
  const facts = open.flatMap(({ text }) => text.match(DAYS) ?? text.match(STEPS) ?? [])
  const answer = ['noted', ...facts].join(' ').slice(0, MAX_ANSWER_CHARACTERS)
  if (open.length === 0 || noted === answer) return undefined
  return {
    about: 'lines',
    asks: `No column has what lines around the rates say: ${open.map(quoteCell).join(', ')}. Set rate_factor or billing, add a column of days, or say that they are noted`,
    choices: [answer],
  }
}
