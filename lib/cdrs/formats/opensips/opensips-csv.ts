import { quotedLine } from '#lib/csv/writer.ts'
import type { CdrDocument, ReadFormat } from '../cdr.ts'
import { clockOf } from '../clock.ts'
import { type CsvFormat, readRows } from '../csv-rows.ts'
import { percentDecoded, quotedNames, quotedValue } from '../fields.ts'
import { ACC_COLUMNS } from '../kamailio.ts'
import { accField, accFound } from './acc.ts'

/**
 * Rows of OpenSIPS's acc: exports of `acc` and `missed_calls` below a header (mysql/acc-create.sql), tables
 * of db_text, files of db_flatstore and event_flatstore without one. With the flag `cdr` a row is a call.
 */
export const opensipsCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)
  return readRows(document, opensipsRows(document), (column) => {
    const field = accField((name) => unescaped(column(name)), document.mapping)
    return accFound(field, clock, column(EVENT) === 'E_ACC_CDR')
  })
}

/** The name of an event, the first cell of a row of event_flatstore. */
const EVENT = 'event'

const TIMES = ['setuptime', 'created']
const LENGTHS = ['duration', 'ms_duration']

export function opensipsRows({ columns = [], mapping }: CdrDocument): CsvFormat {
  const isHeader = (row: readonly string[]) => row.map(nameIn).includes(mapping?.['uniqueid'] ?? 'callid')
  const extra = columns.includes('callid') ? [] : columns.map(nameIn)
  const core = [...ACC_COLUMNS, ...extra]
  const whole = isHeader(columns) ? columns.map(nameIn) : [...core, ...TIMES, ...LENGTHS]
  const shapes = shapesOf(whole)
  const events = new Map([
    ['E_ACC_CDR', [EVENT, ...core, ...LENGTHS, ...TIMES]],
    ['E_ACC_EVENT', [EVENT, ...core]],
    ['E_ACC_MISSED_EVENT', [EVENT, ...core, ...TIMES]],
  ])
  return {
    columns: whole,
    isHeader,
    nameIn,
    columnsOf: ([first = '', ...others]) => events.get(first) ?? shapes.get(others.length + 1),
    remedyFor: ({ length }) =>
      `name the ${Math.max(1, length - ACC_COLUMNS.length - TIMES.length - LENGTHS.length)} extra fields of acc in their order, such as --columns src_user,dst_user`,
    missingIn: (names) => missingNumber(names, mapping),
    tidied: withCommas,
  }
}

const nameIn = (cell: string): string => cell.trim()

/**
 * The columns of a row by their number: a missed call has no length, a transaction that the script accounted
 * for has neither length nor extra fields (acc_db_request in acc.c).
 */
const shapesOf = (whole: readonly string[]): ReadonlyMap<number, readonly string[]> =>
  new Map(
    [ACC_COLUMNS, whole.filter((name) => !LENGTHS.includes(name)), whole].map((names) => [
      names.length,
      names,
    ]),
  )

/** Without the called number, no call could be rated. */
function missingNumber(names: readonly string[], mapping: CdrDocument['mapping']): string | undefined {
  const known = [mapping?.['dst'] ?? 'dst_user', mapping?.['did'] ?? 'dst_ouser']
  if (known.some((name) => names.includes(name))) return undefined
  return `no column is ${quotedValue(known[0] ?? '')}, the columns are ${quotedNames(names)}: have acc write the called number ($rU) as an extra field, and name its column with --map dst=COLUMN; without a header, name the extra fields with --columns`
}

/** The first line of a file of db_text: `id(int,auto) method(string) ...`. */
const DB_TEXT = /^(?:\w+\(\w+(?:,\w+)*\) ?){2,}\r?\n/

/** db_text separates cells by colons, and escapes those in a cell (modules/db_text/README.md). */
function withCommas(text: string): string {
  const [header] = DB_TEXT.exec(text) ?? []
  if (header === undefined) return text
  const names = header
    .replace(/\([^()]*\)/g, '')
    .trim()
    .split(' ')
  const rows = text.slice(header.length).trimEnd().split(/\r?\n/)
  const cellsOf = (row: string) => row.split(/(?<!\\):/).map((cell) => cell.replace(/\\(.)/g, '$1'))
  return [names, ...rows.map(cellsOf)].map(quotedLine).join('\n')
}

/** db_flatstore writes delimiters, backslashes and signs beyond ASCII as `\x7C`. */
const unescaped = (text: string): string =>
  text.includes('\\x')
    ? percentDecoded(text.replaceAll('%', '%25').replace(/\\x([0-9A-F]{2})/g, '%$1'))
    : text
