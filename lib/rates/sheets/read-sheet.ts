import { namesIn } from '#lib/base/collections.ts'
import { boundedText } from '#lib/base/text.ts'
import { indexAtPosition, zoneInHeading } from '#lib/csv/headings.ts'
import { NO_ORIGINS_SHEET, originsSheetQuestion, readOriginLists } from '../origins/origin-lists.ts'
import type { OriginRow } from '../origins/origins.ts'
import { surchargeQuestion, withSurcharge } from '../origins/sheet-origins.ts'
import type { UnsaidColumns } from '../unsaid-columns.ts'
import {
  columnsByValues,
  incrementsQuestion,
  isInbound,
  roleQuestions,
  type Sheet,
  type SheetColumns,
  unpricedQuestion,
} from './column-values.ts'
import {
  type ColumnIndices,
  type ColumnRole,
  columnCandidates,
  columnName,
  findHeader,
  type Header,
} from './columns.ts'
import { dateOrderOf, endQuestion } from './dates.ts'
import { blanksQuestion, type CodePair, codesOf, dashQuestion, listQuestion } from './dial-codes.ts'
import { currencyIn, decimalMarkOf, isSameCurrency, isSharedSign, priceText } from './numbers.ts'
import type { Profile } from './profile.ts'
import { type Cell, isQuestion, type Question, quoteText } from './question.ts'
import { type CountRanges, createRowReader, type SheetEntry } from './rate-rows.ts'
import { cellAt, type SheetRow } from './sheet-row.ts'
import { withRowsOfOrigins } from './side-by-side.ts'
import { statusOf, statusQuestion } from './statuses.ts'
import { readTable } from './table.ts'
import { decideUnits, linesQuestion } from './units.ts'

/** A carrier's rate sheet, read as far as possible without answers. */
export interface SheetReading {
  /** The open questions. As long as there are any, there are no rows. */
  readonly questions: readonly Question[]
  /** The profile with the settings that the sheet shows. */
  readonly profile: Profile
  /** The headings of unused columns. */
  readonly unused: readonly string[]
  /** The number of lines below the header without a code and a rate. */
  readonly skipped: number
  /** The headings of columns without a role whose words end or block rates. */
  readonly remarks: readonly string[]
  /** The worksheets of the workbook, if it has several. */
  readonly worksheets: readonly string[]
  /** The omitted hidden and struck-out cells, in words. */
  readonly hidden: readonly string[]
  /** The number of rates of inbound calls, which are skipped. */
  readonly inbound: number
  /** Whether a column marks changes: such a sheet is rarely a whole tariff. */
  readonly hasStatus: boolean
  readonly unsaid: UnsaidColumns
  /** The origins that another worksheet lists. */
  readonly origins: readonly Pick<OriginRow, 'origin' | 'prefix'>[]
  rows(countRanges?: CountRanges): Iterable<SheetEntry>
}

/**
 * Reads a rate sheet: CSV of any delimiter and encoding, or .xlsx. Settings that the profile lacks are sought
 * in the sheet; the rest become questions. Throws refused_file for bytes that are not a sheet.
 */
export async function readSheet(bytes: Uint8Array, profile: Profile): Promise<SheetReading> {
  const { rows: read, found: detected, worksheets, hidden } = await readTable(bytes, profile)
  const rows = withRowsOfOrigins(read, profile)
  const written = { ...profile, ...detected }
  const header = findHeader(rows, profile.columns)
  const found = isQuestion(header) ? header : withSurcharge(header, profile)
  const isHidden = hiddenQuestion(hidden, profile)
  if (isQuestion(found))
    return onlyQuestions([isHidden ?? sheetQuestion(worksheets, profile) ?? found], written)
  const below = rows.filter(({ line }) => line > found.line)
  const rates = below.filter((row) => isRate(row, found.indices))
  if (rates.length === 0 && isHidden) return onlyQuestions([isHidden], written)
  const columns = columnsByValues(found, rates, profile)
  const body = rates.filter((row) => !isInbound(row, columns))
  const titles = rows.filter(({ line }) => line < found.line)
  const priced = new Set(rates)
  const lines = [...titles, ...below.filter((row) => !priced.has(row))]
  const sheet = { ...columns, titles, lines, body }
  const { questions: open, settings } = decide(sheet, written)
  const { origin, addition } = sheet.header.indices
  const hasOrigins = (origin ?? addition) !== undefined
  const ofOrigins = hasOrigins ? await originsSheetQuestion(bytes, worksheets, written) : undefined
  const questions = [...open, ...(ofOrigins ? [ofOrigins] : [])]
  const complete: Profile = { ...written, columns: headingsOf(sheet.header), ...settings }
  if (questions.length > 0) return onlyQuestions(questions, complete)
  return {
    questions,
    profile: complete,
    unused: unusedIn(columns),
    remarks: columns.remarks.map(({ heading }) => heading),
    worksheets: worksheets.length > 1 ? worksheets : [],
    hidden,
    skipped: below.length - rates.length,
    inbound: rates.length - body.length,
    hasStatus: columns.header.indices.status !== undefined || columns.remarks.length > 0,
    unsaid: unsaidBy(columns.header.indices, complete),
    origins: await listedOrigins(bytes, complete),
    rows: (countRanges) => entriesOf(body, createRowReader(columns, complete, countRanges)),
  }
}

const listedOrigins = async (bytes: Uint8Array, profile: Profile) =>
  profile.origins_sheet === undefined || profile.origins_sheet === NO_ORIGINS_SHEET
    ? []
    : readOriginLists(bytes, profile)

/** The first worksheet of a workbook may be a cover. */
function sheetQuestion(worksheets: readonly string[], { sheet, columns }: Profile): Question | undefined {
  if (sheet !== undefined || columns !== undefined || worksheets.length < 2) return undefined
  const [first] = worksheets
  const asks = `Which worksheet holds the rates? ${JSON.stringify(first)}, the first one, names no dial codes and rates`
  return { about: 'sheet', asks, choices: worksheets }
}

/** Where nothing that is visible holds rates, the hidden cells may. */
function hiddenQuestion(hidden: readonly string[], profile: Profile): Question | undefined {
  const cells = hidden.filter((one) => !one.includes('worksheet'))
  if (cells.length === 0 || profile.hidden !== undefined) return undefined
  const asks = `No visible cells hold rates: are ${cells.join(' and ')} read?`
  return { about: 'hidden', asks, choices: ['read'] }
}

const onlyQuestions = (questions: readonly Question[], profile: Profile): SheetReading => ({
  questions,
  profile,
  unused: [],
  remarks: [],
  worksheets: [],
  hidden: [],
  skipped: 0,
  inbound: 0,
  hasStatus: false,
  unsaid: { fee: false, billing: false, hours: false },
  origins: [],
  rows: () => [],
})

const unsaidBy = (indices: ColumnIndices, { billing, rate_factor }: Profile): UnsaidColumns => ({
  fee: indices.con_fee === undefined && rate_factor !== 'call',
  billing: (indices.billing ?? indices.min_time ?? indices.further) === undefined && billing === undefined,
  hours: (indices.start_time ?? indices.end_time ?? indices.daytype) === undefined,
})

function* entriesOf(body: readonly SheetRow[], read: (row: SheetRow) => SheetEntry[]): Generator<SheetEntry> {
  for (const row of body) yield* read(row)
}

/** A title or a note fills one cell, but not with dial codes, or has neither a code nor a rate. */
function isRate(
  { cells }: SheetRow,
  { prefix, country_code, addition, tariff_rate = addition }: ColumnIndices,
): boolean {
  const holds = (index = -1) => (cells[index] ?? '') !== ''
  if (!holds(prefix) && !holds(country_code) && !holds(tariff_rate)) return false
  return (
    cells.filter((cell) => cell !== '').length > 1 || /^[+\d][\d\s,;/()-]*$/.test(cells[prefix ?? -1] ?? '')
  )
}

const headingsOf = ({ names, indices }: Header): Profile['columns'] =>
  Object.fromEntries(Object.entries(indices).map(([role, index]) => [role, columnName(names, index)]))

function unusedIn({ header: { names, indices }, remarks, callDirection }: SheetColumns): string[] {
  const used = new Set([...Object.values(indices), ...remarks.map(({ index }) => index), callDirection])
  return names.filter((name, index) => name !== '' && !used.has(index))
}

/** Searches the whole sheet for the settings that the profile lacks. */
function decide(sheet: Sheet, profile: Profile) {
  const { header, lines } = sheet
  const columns = profile.columns ?? {}
  const headingOf = (role: ColumnRole) => header.names[header.indices[role] ?? -1] ?? ''
  const settings = {
    decimal: profile.decimal ?? decimalMarkOf(cellsOf(sheet, 'tariff_rate', 'con_fee', 'addition')),
    dates: profile.dates ?? dateOrderOf(cellsOf(sheet, 'effective_from', 'ends_at')),
    after_end: profile.after_end ?? endQuestion(cellsOf(sheet, 'ends_at')),
    ...decideCodes(sheet, profile),
    currency: profile.currency ?? currencyOf(sheet),
    zone: profile.zone ?? zoneOf(sheet),
    ...decideUnits(
      { heading: headingOf('tariff_rate') || headingOf('addition'), cells: cellsOf(sheet, 'tariff_rate') },
      { heading: headingOf('con_fee'), cells: cellsOf(sheet, 'con_fee') },
      cellsOf(sheet, 'unit'),
      profile,
    ),
  }
  const found = Object.entries(settings).filter(([, one]) => one !== undefined && !isQuestion(one))
  const questions = [
    ...columnQuestions(sheet, profile),
    ...roleQuestions(sheet, columns, ['effective_from', 'start_time', 'end_time']),
    ...Object.values(settings),
    (profile.billing ?? columns.billing) === undefined ? incrementsQuestion(sheet) : undefined,
    ...roleQuestions(sheet, columns, ['min_time', 'con_fee', 'origin']),
    profile.unpriced ?? unpricedQuestion(sheet),
    surchargeQuestion(header, profile),
    linesQuestion(lines, header, profile),
    statusQuestion(unknownStatuses(sheet, profile)),
  ].filter(isQuestion)
  return { questions, settings: Object.fromEntries(found) as Partial<Profile> }
}

/** Asks which of several columns has a role, unless their values are equal. */
function columnQuestions({ header, body, titles }: Sheet, { columns = {} }: Profile): Question[] {
  const { names, indices } = header
  const used = new Set(Object.values(indices))
  return namesIn(indices).flatMap((role) => {
    const chosen = indices[role] ?? -1
    const isPosition = indexAtPosition(columns[role] ?? '') === chosen
    const others = isPosition ? [] : columnCandidates(names, role, chosen, columns[role] !== undefined)
    const differing = others.filter((index) => !used.has(index) && differs(body, chosen, index))
    if (differing.length === 0) return []
    const choices = [chosen, ...differing].sort((one, other) => one - other)
    const above = titles.at(-1)
    const shown = choices.map((index) => {
      const title = cellAt(above ?? NO_TITLE, index)
      return `${columnName(names, index)} (${quoteText(names[index] ?? '')}${title && ` below ${quoteText(title)}`})`
    })
    const asks = `Which column is the ${ROLE_WORDS[role] ?? role}: ${shown.join(', ')}?`
    return [{ about: `columns.${role}`, asks, choices: choices.map((index) => columnName(names, index)) }]
  })
}

const NO_TITLE: SheetRow = { line: 0, cells: [] }

const ROLE_WORDS: Partial<Record<ColumnRole, string>> = {
  prefix: 'dial code',
  tariff_rate: 'rate',
  con_fee: 'connection fee',
  billing: 'increment',
  min_time: 'minimum',
  further: 'next increment',
  effective_from: 'begin',
  ends_at: 'end',
}

/** Whether two columns have different values. A blank one holds nothing to choose. */
const differs = (body: readonly SheetRow[], one: number, other: number): boolean =>
  body.some((row) => cellAt(row, other) !== '' && cellAt(row, one) !== cellAt(row, other))

/** The zone that the heading of a column of dates names. */
function zoneOf({ header: { names, indices } }: Sheet): string | undefined | Question {
  for (const role of ['effective_from', 'ends_at'] as const) {
    const heading = names[indices[role] ?? -1] ?? ''
    const zone = zoneInHeading(heading)
    if (typeof zone === 'string') return zone
    if (zone !== undefined) {
      const asks = `Which time zone is ${quoteText(zone.unknown)} in ${quoteText(heading)}, or are its dates those of the installation?`
      return { about: 'zone', asks, choices: ['installation', 'UTC'] }
    }
  }
  return undefined
}

function* unknownStatuses(sheet: Sheet, { statuses }: Profile): Generator<Cell> {
  for (const cell of cellsOf(sheet, 'status')) if (statusOf(cell.text, statuses) === undefined) yield cell
  for (const { index, statusOf } of sheet.remarks)
    for (const row of sheet.body)
      if (statusOf(cellAt(row, index)) === undefined) yield { line: row.line, text: cellAt(row, index) }
}

function decideCodes(sheet: Sheet, profile: Profile) {
  const isAsked = profile.dash === undefined && sheet.header.indices.country_code === undefined
  const dash = isAsked ? dashQuestion(cellsOf(sheet, 'prefix')) : profile.dash
  const codes = profile.codes ?? codesOf(codePairs(sheet))
  if (isQuestion(dash) || isQuestion(codes)) return { dash, codes }
  const blanks = profile.blanks ?? blanksQuestion(codePairs(sheet), codes)
  if (isQuestion(blanks)) return { dash, codes, blanks }
  const lists = profile.lists ?? listQuestion(codePairs(sheet), { dash, codes, blanks })
  return { dash, codes, blanks, lists }
}

function* cellsOf({ header, body }: Sheet, ...roles: readonly ColumnRole[]): Generator<Cell> {
  for (const role of roles) {
    const index = header.indices[role]
    if (index === undefined) continue
    for (const row of body) yield { line: row.line, text: cellAt(row, index) }
  }
}

function* codePairs({ header, body }: Sheet): Generator<CodePair> {
  const { country_code, prefix = -1 } = header.indices
  for (const row of body)
    yield { line: row.line, text: row.cells[prefix] ?? '', country: cellAt(row, country_code) }
}

/** The currency of its column, or else next to the rates, in their heading, or above the header. */
function currencyOf(sheet: Sheet): string | undefined | Question {
  const ofColumn = currenciesIn(cellsOf(sheet, 'currency'))
  const [first, second] = ofColumn.length > 0 ? ofColumn : currenciesBesides(sheet)
  if (first === undefined || second === undefined) return first
  const asks = 'Which currency are the rates in? The sheet names several'
  return { about: 'currency', asks, choices: [first, second] }
}

function currenciesBesides(sheet: Sheet): string[] {
  const atRates = currenciesIn(cellsOf(sheet, 'tariff_rate'), (text) => priceText(text)?.currency ?? '')
  const { header, titles } = sheet
  const heading = currencyIn(header.names[header.indices.tariff_rate ?? -1] ?? '')
  const other = heading ?? currencyAbove(titles)
  const isOpen = atRates.length !== 1 || isSharedSign(atRates[0] ?? '')
  return isOpen && other !== undefined ? withoutSigns([...atRates, other]) : atRates
}

function currenciesIn(cells: Iterable<Cell>, signIn = (text: string) => text): string[] {
  const seen = new Set<string>()
  for (const { text } of cells) seen.add(signIn(text))
  return withoutSigns([...seen].flatMap((text) => currencyIn(text) ?? []))
}

/** Each once; a sign such as `$` only if none of the others has it. */
const withoutSigns = (named: readonly string[]): string[] =>
  [...new Set(named)].filter(
    (one, _index, all) =>
      !isSharedSign(one) || !all.some((other) => other !== one && isSameCurrency(other, one)),
  )

const currencyAbove = (titles: readonly SheetRow[]): string | undefined =>
  titles
    .map(({ cells }) => boundedText(cells.join(' ')))
    .filter((text) => /currency|rates? in|prices? in/i.test(text))
    .map(currencyIn)
    .find((currency) => currency !== undefined)
