import { Buffer } from 'node:buffer'
import type { AccountCodes } from '#lib/base/switch-names.ts'
import { spansOf } from '#lib/csv/reader.ts'
import { asteriskCsv, asteriskJson, asteriskRows } from './asterisk.ts'
import { type CdrText, DAMAGED, type Found, type ParsedCdr, type ReadFormat, unreadable } from './cdr.ts'
import { type CsvFormat, type CsvText, csvTextOf, findCsvHeader, headerIn } from './csv-rows.ts'
import { type CdrDocument, type FormatName, partsOfFormat } from './formats.ts'
import { freeswitchCsv, freeswitchJson, freeswitchRows, freeswitchXml } from './freeswitch.ts'
import { isWholeObject, segmentsOf } from './json/json-text.ts'
import { listIn, mappedJson } from './json/mapped-json.ts'
import { kamailioCsv, kamailioJson, kamailioRows } from './kamailio.ts'
import { live } from './live.ts'
import { mappedCsv, mappedRows } from './mapped-csv.ts'
import { linesIn, opensipsCsv, opensipsJson, opensipsLog, opensipsRows } from './opensips.ts'

const READERS: Readonly<Record<FormatName, ReadFormat>> = {
  'freeswitch-json': freeswitchJson,
  'freeswitch-xml': freeswitchXml,
  'freeswitch-csv': freeswitchCsv,
  'asterisk-csv': asteriskCsv,
  'asterisk-json': asteriskJson,
  'kamailio-json': kamailioJson,
  'kamailio-csv': kamailioCsv,
  'opensips-csv': opensipsCsv,
  'opensips-log': opensipsLog,
  'opensips-json': opensipsJson,
  csv: mappedCsv,
  json: mappedJson,
  live,
}

/** How rows depend on their header. Apart from the readers: the intake cuts documents, and parses none. */
const ROWS: Readonly<Partial<Record<FormatName, (document: CdrText) => CsvFormat>>> = {
  'freeswitch-csv': freeswitchRows,
  'asterisk-csv': asteriskRows,
  'kamailio-csv': kamailioRows,
  'opensips-csv': opensipsRows,
  csv: mappedRows,
}

/** The most unreadable parts of a document that are reported one by one: the operator looks at each. */
export const MAX_UNREADABLE_PARTS = 1000

/**
 * Parses a document. A thousand unreadable parts come one by one, all further ones as one problem at the end.
 * If the first thousand parts are all unreadable, the format is wrong: the document is one problem.
 */
export function parse(document: CdrDocument): Iterable<ParsedCdr> {
  const read = READERS[document.format](wellFormed(document))
  const whole = document.text.includes('\0') ? withDamage(read) : read
  const parts = document.codes === undefined ? whole : withCodes(whole, document.codes)
  return Array.isArray(parts) ? parts : bounded(document, parts[Symbol.iterator]())
}

/** A block of NUL is not a fault of the format: CSV names it, JSON and XML as a text of neither. */
function* withDamage(parts: Iterable<ParsedCdr>): Generator<ParsedCdr> {
  for (const part of parts)
    yield isUnreadable(part) && part.text().includes('\0') ? { ...part, found: DAMAGED } : part
}

function* withCodes(parts: Iterable<ParsedCdr>, codes: AccountCodes): Generator<ParsedCdr> {
  for (const part of parts) yield { ...part, found: foundWithCodes(part.found, codes) }
}

/** The meaning of an account code depends on the switch, and goes with the hints of the call. */
function foundWithCodes(found: Found, codes: AccountCodes): Found {
  if (found.kind === 'cdr' || found.kind === 'leg')
    return { ...found, cdr: { ...found.cdr, party: { ...found.cdr.party, codes } } }
  if (found.kind === 'dialog_event')
    return { ...found, event: { ...found.event, party: { ...found.event.party, codes } } }
  return found.kind === 'live_event'
    ? { ...found, event: { ...found.event, party: { ...found.event.party, codes } } }
    : found
}

function* bounded(document: CdrDocument, parts: Iterator<ParsedCdr>): Generator<ParsedCdr> {
  const first = readFirst(parts)
  const count = first.filter(isUnreadable).length
  if (count === MAX_UNREADABLE_PARTS) return yield wholeProblem(document.text.toWellFormed(), first)
  yield* first
  yield* withFurtherProblem(parts, count)
}

/** The parts up to the first readable one, or a thousand unreadable ones. */
function readFirst(parts: Iterator<ParsedCdr>): ParsedCdr[] {
  const first: ParsedCdr[] = []
  for (let next = parts.next(); !next.done; next = parts.next()) {
    first.push(next.value)
    if (first.length === MAX_UNREADABLE_PARTS || !isUnreadable(next.value)) break
  }
  return first
}

/** A lone surrogate becomes its escape, as JSON has it: two ids that differ in one stay two ids. */
const wellFormed = (document: CdrDocument): CdrDocument =>
  document.text.isWellFormed()
    ? document
    : { ...document, text: document.text.replace(LONE_SURROGATE, escapeOf) }

const LONE_SURROGATE = /\p{Cs}/gu

const escapeOf = (surrogate: string): string => `\\u${surrogate.charCodeAt(0).toString(16)}`

const isUnreadable = ({ found }: ParsedCdr): boolean =>
  found.kind === 'problem' && found.reason === 'unreadable'

const detailOf = ({ found }: ParsedCdr): string => (found.kind === 'problem' ? found.detail : '')

function wholeProblem(text: string, [first]: readonly ParsedCdr[]): ParsedCdr {
  const detail = `its first ${COUNT} lines cannot be read${first ? `; the first one: ${detailOf(first)}` : ''}`
  return { found: unreadable(detail), text: () => text, asksLengths: first?.asksLengths ?? false }
}

const COUNT = MAX_UNREADABLE_PARTS.toLocaleString('en-US')

/** Yields the parts. Beyond the limit it gathers the unreadable ones into one problem. */
function* withFurtherProblem(parts: Iterator<ParsedCdr>, before: number): Generator<ParsedCdr> {
  let [count, first]: [number, ParsedCdr | undefined] = [before, undefined]
  const lines: string[] = []
  for (let next = parts.next(); !next.done; next = parts.next()) {
    const part = next.value
    if (isUnreadable(part)) count += 1
    if (count <= MAX_UNREADABLE_PARTS || !isUnreadable(part)) yield part
    else {
      first ??= part
      lines.push(lineOf(part))
    }
  }
  if (first) yield furtherProblem(first, lines)
}

const lineOf = ({ line, text }: ParsedCdr): string => (line ?? text)()

function furtherProblem(first: ParsedCdr, lines: readonly string[]): ParsedCdr {
  const header = first.text().slice(0, -lineOf(first).length)
  const detail = `${lines.length} further lines cannot be read; the first one: ${detailOf(first)}`
  const { asksLengths = false } = first
  const found = unreadable(detail)
  return { found, text: () => header + lines.join('\n'), asksLengths }
}

/**
 * Cuts a document between its CDRs into documents of at most `maxBytes` of UTF-8. A larger CDR gets a
 * document of its own. XML is not cut. One pass over the text finds the cuts, without parsing CDRs.
 */
export function cutDocument(document: CdrDocument, maxBytes: number): CdrDocument[] {
  if (Buffer.byteLength(document.text) <= maxBytes) return [document]
  return Array.from(textsOf(document, maxBytes), (text) => ({ ...document, text }))
}

function textsOf(document: CdrDocument, maxBytes: number): Iterable<string> {
  const of = partsOfFormat(document.format)
  const rows = ROWS[document.format]
  if (rows) return csvTexts(document.text, rows(document), maxBytes)
  if (of === 'one part') return [document.text]
  const text = document.format === 'json' ? listIn(document) : document.text
  return packed(of === 'lines' ? linesIn(text) : jsonLines(text), maxBytes, () => true)
}

/** A piece has the header of its rows. A header below the first one begins a section of its own. */
function* csvTexts(written: string, format: CsvFormat, maxBytes: number): Generator<string> {
  const csv = csvTextOf(written, format)
  for (const { header, lines } of sectionsOf(csv, format)) {
    const mayBegin = (line: string) =>
      header !== '' || findCsvHeader({ ...csv, text: line }, format) === undefined
    const above = csv.statement + header
    const room = maxBytes - Buffer.byteLength(above)
    for (const piece of packed(lines, room, mayBegin)) yield above + piece
  }
}

function* sectionsOf(csv: CsvText, format: CsvFormat) {
  const { text, dialect } = csv
  const next = findCsvHeader(csv, format)?.next ?? 0
  let [header, lines]: [string, string[]] = [text.slice(0, next), []]
  for (const span of spansOf(text, next, dialect)) {
    const line = text.slice(span.start, span.next)
    if (headerIn(csv, span, format)) {
      yield { header, lines }
      ;[header, lines] = [line, []]
    } else lines.push(line)
  }
  yield { header, lines }
}

/**
 * Writes each segment on a line. A list member that is not a whole object stays in a list of its own: on a
 * plain line an unclosed member would be read together with the next lines.
 */
function* jsonLines(text: string): Generator<string> {
  for (const { text: segment, list } of segmentsOf(text)) {
    const isLine = list === undefined || isWholeObject(segment)
    yield isLine ? `${segment}\n` : `[${segment}${list === 'closed' ? ']' : ''}\n`
  }
}

/** Joins lines into texts of `room` bytes. A line that may not begin a text stays with the previous one. */
function* packed(
  lines: Iterable<string>,
  room: number,
  mayBegin: (line: string) => boolean,
): Generator<string> {
  let [batch, bytes]: [string[], number] = [[], 0]
  for (const line of lines) {
    const more = Buffer.byteLength(line)
    if (batch.length > 0 && bytes + more > room && mayBegin(line)) {
      yield batch.join('')
      ;[batch, bytes] = [[], 0]
    }
    batch.push(line)
    bytes += more
  }
  if (batch.length > 0) yield batch.join('')
}
