import * as v from 'valibot'
import type { Day } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { isZero, type Money, ZERO } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { unescapeFormula } from '#lib/base/text.ts'
import { decodeText } from '#lib/csv/encoding.ts'
import { indexAtPosition, plainHeading } from '#lib/csv/headings.ts'
import { parseProfile } from '#lib/csv/profile.ts'
import { type CsvRow, delimiterOf, HEADER_MAX_LINE, readCsv } from '#lib/csv/reader.ts'
import { dateOrderOf, dateTimeOf } from '#lib/rates/sheets/dates.ts'
import {
  currencyIn,
  DECIMAL_MARKS,
  decimalMarkOf,
  decimalOf,
  isSharedSign,
  priceText,
} from '#lib/rates/sheets/numbers.ts'
import { isQuestion, type Question, quoteText } from '#lib/rates/sheets/question.ts'
import { type BankEntry, oneLine, RETURNED } from './bank-row.ts'

/** The roles of columns, with the headings of banks in lower case, the most reliable first. */
const HEADINGS = {
  day: 'buchungstag, buchungsdatum, booking date, boekdatum, boekingsdatum, data ksiegowania, data operacji, data transakcji, date comptable, transaction date, datum, date, data, posting date, completed date, date completed utc',
  amount: 'betrag, umsatz, amount, bedrag, kwota, kwota operacji, transactiebedrag, montant, importo',
  credit: 'haben, gutschrift, credit, credit amount, paid in, bij, uznania',
  debit: 'soll, belastung, lastschrift, debit, debit amount, paid out, af, obciazenia',
  sign: 'soll haben, s h, af bij, debet credit, d c, debit credit, debit credit indicator, creditdebit, cdtdbtind',
  currency: 'wahrung, waehrung, currency, munt, muntsoort, waluta, devise, valuta code, payment currency',
  payer:
    'beguenstigter zahlungspflichtiger, name zahlungsbeteiligter, auftraggeber empfanger, auftraggeber empfaenger, zahlungspflichtige r, auftraggeber beguenstigter, name des partners, naam tegenpartij, naam omschrijving, naam, counterparty, counterparty name, payer, debtor, payee, kontrahent, dane kontrahenta, nadawca odbiorca, nazwa kontrahenta, name, beschreibung1',
  payer_account:
    'kontonummer iban, iban zahlungsbeteiligter, iban des partners, tegenrekening, tegenrekening iban bban, counterparty account, counterparty iban, payer account, rachunek kontrahenta, numer rachunku kontrahenta, iban',
  text: 'verwendungszweck, zahlungszweck, remittance information, mededelingen, omschrijving, omschrijving 1, communication, purpose, description, details, tytul, tytul operacji, opis operacji, buchungsdetails, text, memo, beschreibung3, avisierungstext, transaction description, opis transakcji, narration, particulars, libelle, buchungstext',
  reference:
    'kundenreferenz end to end, kundenreferenz, end to end id, betalingskenmerk, zahlungsreferenz, structured reference, payment reference, reference, referenz',
  account: 'auftragskonto, iban auftragskonto, rekening, eigen rekening, account, iban bban, konto',
  status: 'status, state, info, stan, statut',
  return_reason: 'reden retour, return reason',
  kind: 'buchungstext, umsatzart, vorgang, transaction type, type, typ transakcji',
} as const

type Role = keyof typeof HEADINGS

const ROLES = namesIn(HEADINGS)

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

/** Describes the CSV of a bank. A missing part is sought in each file. */
const profileSchema = v.strictObject({
  delimiter: v.optional(v.pipe(v.string(), v.length(1))),
  columns: v.optional(
    v.strictObject(
      Object.fromEntries(ROLES.map((role) => [role, v.optional(name)])) as Record<
        Role,
        v.OptionalSchema<typeof name, undefined>
      >,
    ),
  ),
  decimal: v.optional(v.picklist(DECIMAL_MARKS)),
  dates: v.optional(v.picklist(DATE_ORDERS)),
  currency: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/))),
})

export type BankProfile = v.InferOutput<typeof profileSchema>

/** Reads a profile in JSON. Throws refused_file with the key that is wrong. */
export const bankProfileOf = (text: string, where: string): BankProfile =>
  parseProfile(profileSchema, text, where)

export interface CsvReading {
  /** The open questions. As long as there are any, there are no entries. */
  readonly questions: readonly Question[]
  /** The profile with what the file shows. */
  readonly profile: BankProfile
  entries(): Iterable<BankEntry>
}

interface Header {
  readonly line: number
  readonly names: readonly string[]
  readonly indices: Partial<Record<Role, number>>
  /** The only one of the heading of the amount, or of the lines above. */
  readonly currency: string | undefined
}

/** Reads the CSV of a bank by its headings. Throws refused_file for quotes that do not pair up. */
export async function readBankCsv(bytes: Uint8Array, given: BankProfile): Promise<CsvReading> {
  const text = decodeText(bytes).replace(/\r\n?/g, '\n')
  const known = (cells: readonly string[]) => Object.keys(indicesIn(cells, given.columns)).length
  const delimiter = given.delimiter ?? delimiterOf(text, known)
  const rows = await rowsIn(text, delimiter)
  const found = headerOf(rows, given.columns)
  if (!found)
    return { questions: [headerQuestion(rows)], profile: { ...given, delimiter }, entries: () => [] }
  const body = rows.filter((row) => row.line > found.line && isOfEntry(row, found))
  const sign = signColumn(found, body)
  const header = sign < 0 ? found : { ...found, indices: { sign, ...found.indices } }
  return readEntries(header, body, { ...given, delimiter })
}

async function rowsIn(text: string, delimiter: string): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  const refuse = () => fileRefused('The quotes of the file do not pair up')
  for await (const row of readCsv([text], refuse, { delimiter, relaxQuotes: true }))
    if (row.cells.some((cell) => cell.trim() !== ''))
      rows.push({ line: row.line, cells: row.cells.map((cell) => unescapeFormula(cell.trim())) })
  return rows
}

function readEntries(header: Header, body: readonly CsvRow[], given: BankProfile): CsvReading {
  const { names, indices } = header
  const textsOf = (...roles: readonly Role[]) =>
    body.flatMap((row) => roles.map((role) => ({ line: row.line, text: cellsOf(row, header)(role) })))
  const amounts = textsOf(...SUMS).map((cell) => ({ ...cell, text: unsigned(cell.text) }))
  const decimal = given.decimal ?? decimalMarkOf(amounts) ?? 'point'
  const dates = given.dates ?? dateOrderOf(textsOf('day')) ?? 'day-month'
  const columns = Object.fromEntries(
    namesIn(indices).map((role) => [role, nameAt(names, indices[role] ?? 0)]),
  )
  const questions = [decimal, dates].filter(isQuestion)
  if (isQuestion(decimal) || isQuestion(dates))
    return { questions, profile: { ...given, columns }, entries: () => [] }
  const profile = { ...given, columns, decimal, dates }
  return { questions, profile, entries: () => body.map((row) => entryOf(row, header, profile)) }
}

const plainName = (heading: string): string =>
  plainHeading(heading)
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

const nameAt = (names: readonly string[], index: number): string => names[index] || `#${index + 1}`

function indicesIn(cells: readonly string[], named: BankProfile['columns'] = {}): Header['indices'] {
  const indices: Partial<Record<Role, number>> = {}
  const taken = new Set<number>()
  const take = (role: Role, index: number) => {
    if (index < 0 || taken.has(index)) return
    indices[role] = index
    taken.add(index)
  }
  for (const role of namesIn(named)) take(role, indexNamed(cells, named[role] ?? ''))
  const plain = cells.map((cell) => plainName(cell).replace(/( in)? (eur|chf|pln|usd|gbp)$/, ''))
  for (const role of ROLES) {
    if (named[role] !== undefined) continue
    const found = HEADINGS[role]
      .split(', ')
      .map((one) => plain.findIndex((cell, at) => cell === one && !taken.has(at)))
    take(role, found.find((index) => index >= 0) ?? -1)
  }
  return indices
}

function indexNamed(cells: readonly string[], heading: string): number {
  const index = cells.findIndex((cell) => cell.toLowerCase() === heading.trim().toLowerCase())
  return index >= 0 ? index : (indexAtPosition(heading) ?? -1)
}

/** The row with the most known columns among the first rows that name a day and an amount. */
function headerOf(rows: readonly CsvRow[], named: BankProfile['columns']): Header | undefined {
  const headers = rows
    .filter(({ line }) => line <= HEADER_MAX_LINE)
    .map(({ line, cells }) => ({ line, names: cells, indices: indicesIn(cells, named) }))
    .filter(({ indices: { day, amount, credit } }) => day !== undefined && (amount ?? credit) !== undefined)
  const [found] = headers.toSorted(
    (one, other) => Object.keys(other.indices).length - Object.keys(one.indices).length,
  )
  if (!found) return undefined
  const { amount, credit } = found.indices
  const above = rows.filter(({ line }) => line < found.line).flatMap(({ cells }) => cells)
  const [account, ...others] = new Set(above.filter((cell) => cell.length === 3 && currencyIn(cell) === cell))
  const ofAmount = currencyIn(found.names[amount ?? credit ?? -1] ?? '')
  return { ...found, currency: ofAmount ?? (others.length > 0 ? undefined : account) }
}

function headerQuestion(rows: readonly CsvRow[]): Question {
  const [widest] = rows
    .slice(0, HEADER_MAX_LINE)
    .toSorted((one, other) => other.cells.length - one.cells.length)
  const words = (widest?.cells ?? []).filter((cell) => cell !== '')
  const asks = `Which columns hold the day and the amount? Line ${widest?.line ?? 1} has ${JSON.stringify(words)}`
  return { about: 'columns', asks, choices: [], words }
}

/** A line of sums or notes has no day or no amount. One that is not booked yet comes again when it is. */
const isOfEntry = (row: CsvRow, header: Header): boolean => {
  const cell = cellsOf(row, header)
  const hasAmount = SUMS.some((role) => /\d/.test(cell(role))) || isWider(row, header)
  return hasAmount && /\d/.test(cell('day')) && !NOT_BOOKED.test(cell('status'))
}

const cellsOf =
  ({ cells }: CsvRow, { indices }: Header) =>
  (role: Role): string =>
    cells[indices[role] ?? -1] ?? ''

/** A column of credits or debits comes before one of both: that may have an amount before its exchange. */
const SUMS = ['credit', 'debit', 'amount'] as const

/** A text with a delimiter and without quotes moves the cells after it. */
const isWider = ({ cells }: CsvRow, { names }: Header): boolean =>
  cells.slice(names.length).some((cell) => cell !== '')

/** Of Sparkasse (`Umsatz vorgemerkt`), Revolut, PayPal, Mercury and Polish banks. */
const NOT_BOOKED =
  /vorgemerkt|ausstehend|abgelehnt|pending|pdng|revert|declin|fail|cancel|denied|refus|reject|oczek|odrzuc/i

/** Before or behind the digits, also after the sign of a currency. */
const MINUS = /[\p{Pd}\u2212]|\([^\d(]*\d/u

const unsigned = (cell: string): string => cell.replace(/[+()\p{Pd}\u2212]/gu, '')

/** Words in a column of signs, or behind an amount (`1,234.00 Dr`). */
const DEBIT = /^(s|soll|belastung|af|d|dr|db|debet|d[eé]bito?|dbit|-)$/i
const CREDIT = /^(h|haben|gutschrift|bij|c|cr|cr[eé]dito?|crdt|\+)$/i

/** The column that says debit or credit in most rows, if no amount of the file has a minus. Otherwise -1. */
function signColumn({ names, indices }: Header, body: readonly CsvRow[]): number {
  const isSign = (cell: string) => cell.length > 1 && (DEBIT.test(cell) || CREDIT.test(cell))
  const isSigned = body.some(({ cells }) => MINUS.test(cells[indices.amount ?? -1] ?? ''))
  if (isSigned || indices.sign !== undefined || indices.debit !== undefined) return -1
  return names.findIndex(
    (_, at) => body.filter(({ cells }) => isSign(cells[at] ?? '')).length > body.length / 2,
  )
}

interface WholeProfile extends BankProfile {
  readonly decimal: (typeof DECIMAL_MARKS)[number]
  readonly dates: (typeof DATE_ORDERS)[number]
}

function entryOf(row: CsvRow, header: Header, profile: WholeProfile): BankEntry {
  const { line, cells } = row
  const columns = header.names.length
  if (isWider(row, header))
    throw fileRefused(`Line ${line} has ${cells.length} columns, expected ${columns}: quote its texts`)
  const cell = cellsOf(row, header)
  const refuse = (role: Role, takes: string) =>
    fileRefused(`Line ${line}: ${role} ${quoteText(cell(role))} is not ${takes}`)
  const day: Day | undefined = dateTimeOf(cell('day'), profile.dates)?.slice(0, 10)
  if (!day) throw refuse('day', 'a day')
  const { isReturn, beside, ...sum } = signedAmount(cell, refuse, profile.decimal)
  const currencies = [beside, profile.currency, header.currency].filter((one) => one !== undefined)
  const reference = cell('reference').replace(/\s/g, '')
  return {
    ...{ account: cell('account').replace(/\s/g, ''), day, ...sum },
    currency: cell('currency').toUpperCase() || (currencies.find((one) => !isSharedSign(one)) ?? ''),
    sign: currencies.find(isSharedSign),
    isReturn: isReturn || cell('return_reason') !== '' || RETURNED.test(cell('kind')),
    ...{ payer: oneLine(cell('payer')), payerAccount: cell('payer_account').replace(/\s/g, '') },
    text: oneLine(cell('text')),
    references: reference === '' ? [] : [reference],
    ...{ ids: [], statement: 0 },
  }
}

function signedAmount(
  cell: (role: Role) => string,
  refuse: (role: Role, takes: string) => Error,
  decimal: WholeProfile['decimal'],
) {
  const amountOf = (role: Role): Money => {
    const text = unsigned(cell(role))
    if (text.trim() === '') return ZERO
    const amount = decimalOf(priceText(text)?.number ?? '', decimal)
    if (amount === undefined) throw refuse(role, `an amount with a decimal ${decimal}`)
    return amount
  }
  const column = SUMS.find((role) => !isZero(amountOf(role))) ?? 'amount'
  const written = cell(column)
  const sign = cell('sign')
  if (sign !== '' && !DEBIT.test(sign) && !CREDIT.test(sign)) throw refuse('sign', 'debit or credit')
  const hasMinus = MINUS.test(written)
  const isDebit = [sign, /(?<!\p{L})\p{L}+$/u.exec(written)?.[0] ?? ''].some((word) => DEBIT.test(word))
  return {
    ...{ amount: amountOf(column), isCredit: column !== 'debit' && !hasMinus && !isDebit },
    beside: currencyIn(priceText(unsigned(written))?.currency ?? ''),
    // Such as `-13.50` among credits: one is taken back.
    isReturn: column === 'credit' && hasMinus,
  }
}
