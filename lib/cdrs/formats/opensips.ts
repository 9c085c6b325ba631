import { quotedLine } from '#lib/csv/writer.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import { NORMAL_CLEARING } from './call-result.ts'
import {
  type Cdr,
  type CdrText,
  cdrRefused,
  type Found,
  foundsBy,
  type ParsedCdr,
  type ReadFormat,
  SKIPPED,
} from './cdr.ts'
import { type Clock, clockOf, durationOf } from './clock.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { partOf } from './dialog.ts'
import { type Field, percentDecoded, quotedNames, quotedValue, withoutBlanks } from './fields.ts'
import { fieldsOf, isObject, readObjects } from './json/json-objects.ts'
import { ACC_COLUMNS, ID_FIELDS, sidesOf, transactionIn } from './kamailio.ts'
import type { MappedField } from './mapped-csv.ts'

/** The extra fields that acc writes have names of the operator: the field of a CDR that each of ours is. */
const FIELDS: Readonly<Record<string, MappedField>> = {
  callid: 'uniqueid',
  src_user: 'src',
  auth_user: 'sip_user',
  dst_user: 'dst',
  dst_ouser: 'did',
  src_ip: 'ip',
  accountcode: 'account_code',
  provider: 'provider',
  dst_ip: 'provider_ip',
  carrier_src: 'carrier_src',
}

/** These fields may hold a whole URI, such as `$fu`. */
const USERS = new Set(['src_user', 'auth_user', 'carrier_src'])

/** Fields of acc by our names. The source's mapping names the others; a blank one omits a field. */
const accField =
  (field: Field, mapping: Readonly<Record<string, string>> | undefined): Field =>
  (name) => {
    const column = mapping?.[FIELDS[name] ?? ''] ?? name
    const text = column === '' ? '' : field(column)
    return USERS.has(name) ? calledUser(text) : text
  }

/**
 * A report of OpenSIPS's acc module (modules/acc/acc.c): a transaction, as Kamailio's, or with the flag
 * `cdr` the CDR of a dialog, whose INVITE was answered at `time`, and received at `created`. A transaction
 * has no length. Refused INVITEs count from when they were received, where acc says so.
 */
function accFound(field: Field, clock: Clock, isCdr: boolean): Found {
  if (isCdr || isTimed(field)) return { kind: 'cdr', cdr: dialogCdr(field, clock) }
  const isRefused = /^[3-6]/.test(field('sip_code')) && clock(field('created')) !== undefined
  return transactionIn(isRefused ? (name) => field(name === 'time' ? 'created' : name) : field, clock)
}

const isTimed = (field: Field): boolean =>
  /^INVITE$/i.test(field('method')) &&
  field('sip_code').startsWith('2') &&
  (/[1-9]/.test(field('duration')) || /[1-9]/.test(field('ms_duration')))

/** `duration` are the seconds that OpenSIPS counts: whole ones, rounded up since 3.4. */
function dialogCdr(field: Field, clock: Clock): Cdr {
  const answered = clock(field('time'))
  if (answered === undefined) throw cdrRefused('impossible_time', 'it has no time')
  if (field('callid') === '') throw cdrRefused('unreadable', 'it has no Call-ID')
  const start = clock(field('created')) ?? answered
  const billsec = secondsOf(field, 'duration') ?? Math.ceil((secondsOf(field, 'ms_duration') ?? 0) / 1000)
  const { tags, ...sides } = sidesOf(field)
  const duration = Math.max(0, answered - start) + billsec
  const times = { start: Math.floor(Math.min(start, answered)), duration: Math.ceil(duration), billsec }
  const ended = { disposition: 'ANSWERED', hangupcause: NORMAL_CLEARING, channel: '' }
  return { uniqueid: field('callid'), part: partOf({ tags }), ...times, ...ended, ...sides }
}

function secondsOf(field: Field, name: string): number | undefined {
  if (field(name) === '') return undefined
  const seconds = durationOf(field(name))
  if (seconds !== undefined) return Math.ceil(seconds)
  throw cdrRefused('unreadable', `${name} ${quotedValue(field(name))} is not a number of seconds`)
}

/**
 * The events E_ACC_CDR, E_ACC_EVENT and E_ACC_MISSED_EVENT of OpenSIPS's acc module, as event_datagram,
 * event_stream and others send them (JSON-RPC, with the attributes in `params`), or their attributes alone.
 */
export const opensipsJson: ReadFormat = ({ text, zone, mapping }) => {
  const clock = clockOf(zone)
  return readObjects(text, (object, written) => {
    const { params, method } = object
    const field = fieldsOf(isObject(params) ? params : object, written, ID_FIELDS)
    return accFound(accField(field, mapping), clock, method === 'E_ACC_CDR')
  })
}

// CSV: tables and files of acc

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

export function opensipsRows({ columns = [], mapping }: CdrText): CsvFormat {
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
function missingNumber(names: readonly string[], mapping: CdrText['mapping']): string | undefined {
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

/**
 * The lines of acc in the system log, after syslog's own fields (acc_log_request and acc_log_cdrs in
 * modules/acc/acc.c): `ACC: call ended: created=...;method=INVITE;...`. Other lines are skipped.
 */
export function* opensipsLog(document: CdrText): Generator<ParsedCdr> {
  const clock = clockOf(document.zone)
  for (const line of linesIn(document.text))
    for (const found of foundsBy(() => lineFound(line.trim(), clock, document)))
      yield { found, text: () => line.trim() }
}

/** The lines that are not blank, each with its line end. */
export function* linesIn(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    if (text.slice(start, next).trim() !== '') yield text.slice(start, next)
    start = next
  }
}

/** MAX_SYSLOG_SIZE in modules/acc/acc.h, and what syslog puts before it. */
const MAX_LINE_CHARACTERS = 70_000

const MARK = 'ACC: '
const CALL_ENDED = 'call ended'
const KINDS = ['transaction answered', 'call missed', 'request accounted', CALL_ENDED]

function lineFound(line: string, clock: Clock, { mapping, columns }: CdrText): Found {
  if (line.length > MAX_LINE_CHARACTERS) throw cdrRefused('unreadable', 'it is longer than acc writes')
  const from = line.indexOf(MARK)
  const kind = from < 0 ? undefined : KINDS.find((name) => line.startsWith(`${name}: `, from + MARK.length))
  if (kind === undefined) return SKIPPED
  const attributes = attributesIn(line.slice(from + MARK.length + kind.length + 2), columns)
  const field = accField((name) => attributes.get(name) ?? '', mapping)
  return accFound(field, clock, kind === CALL_ENDED)
}

/** The names of acc's own attributes in the log, where they differ from the columns. */
const COLUMNS = new Map([
  ['call_id', 'callid'],
  ['code', 'sip_code'],
  ['reason', 'sip_reason'],
  ['timestamp', 'time'],
  ['call_start_time', 'time'],
])

/**
 * The attributes of a line by the columns of acc. Values are not escaped, and a caller chooses its Call-ID: a
 * line is refused if acc's own attributes are not in their order, each once. Other
 * attributes count if the source declares them, or declares none.
 */
function attributesIn(text: string, declared: readonly string[] | undefined): ReadonlyMap<string, string> {
  const attributes = text.replace(/#012$/, '').split(';').map(attributeIn)
  const names = attributes.map(([name]) => name)
  const own = names.filter((name) => OWN.has(name))
  const first = names.indexOf(IN_ORDER[0] ?? '')
  const isInOrder = names.slice(first, first + IN_ORDER.length).join() === IN_ORDER.join()
  if (!isInOrder || new Set(own).size < own.length) throw cdrRefused('unreadable', NOT_IN_ORDER)
  const isRead = (name: string) => OWN.has(name) || declared === undefined || declared.includes(name)
  return new Map(attributes.filter(([name]) => isRead(name)).reverse())
}

const NOT_IN_ORDER = 'the attributes of acc are not in their order, each once'

function attributeIn(text: string): [name: string, value: string] {
  const equals = Math.max(0, text.indexOf('='))
  const name = text.slice(0, equals)
  return [COLUMNS.get(name) ?? name, withoutBlanks(text.slice(equals + 1))]
}

const IN_ORDER: readonly string[] = ACC_COLUMNS.filter((name) => name !== 'time')

/** The attributes that acc itself writes. */
const OWN = new Set<string>([...ACC_COLUMNS, 'created', 'setuptime', 'duration', 'ms_duration'])
