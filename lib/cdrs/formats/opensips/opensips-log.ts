import { type CdrDocument, CdrRefused, type Found, foundsBy, type ParsedCdr, SKIPPED } from '../cdr.ts'
import { type Clock, clockOf } from '../clock.ts'
import { ACC_COLUMNS } from '../kamailio.ts'
import { accField, accFound } from './acc.ts'

/**
 * The lines of acc in the system log, after syslog's own fields (acc_log_request and acc_log_cdrs in
 * modules/acc/acc.c): `ACC: call ended: created=...;method=INVITE;...`. Other lines are skipped.
 */
export function* opensipsLog({ text, zone, mapping, columns }: CdrDocument): Generator<ParsedCdr> {
  const clock = clockOf(zone)
  for (const line of linesIn(text))
    for (const found of foundsBy(() => lineFound(line.trim(), { clock, mapping, columns })))
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

interface Reading extends Pick<CdrDocument, 'mapping' | 'columns'> {
  readonly clock: Clock
}

/** MAX_SYSLOG_SIZE in modules/acc/acc.h, and what syslog puts before it. */
const MAX_LINE_CHARACTERS = 70_000

const MARK = 'ACC: '
const CALL_ENDED = 'call ended'
const KINDS = ['transaction answered', 'call missed', 'request accounted', CALL_ENDED]

function lineFound(line: string, { clock, mapping, columns }: Reading): Found {
  if (line.length > MAX_LINE_CHARACTERS) throw new CdrRefused('unreadable', 'it is longer than acc writes')
  const from = line.indexOf(MARK)
  const kind = from < 0 ? undefined : KINDS.find((name) => line.startsWith(`${name}: `, from + MARK.length))
  if (kind === undefined) return SKIPPED
  const attributes = attributesIn(line.slice(from + MARK.length + kind.length + 2), columns)
  return accFound(
    accField((name) => attributes.get(name) ?? '', mapping),
    clock,
    kind === CALL_ENDED,
  )
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
 * line is refused if acc's own attributes do not stand in their order, each once. Of the others, those count
 * that the source declares, if it declares any.
 */
function attributesIn(text: string, declared: readonly string[] | undefined): ReadonlyMap<string, string> {
  const attributes = text.replace(/#012$/, '').split(';').map(attributeIn)
  const names = attributes.map(([name]) => name)
  const own = names.filter((name) => OWN.has(name))
  const first = names.indexOf(IN_ORDER[0] ?? '')
  const isInOrder = names.slice(first, first + IN_ORDER.length).join() === IN_ORDER.join()
  if (!isInOrder || new Set(own).size < own.length) throw new CdrRefused('unreadable', NOT_IN_ORDER)
  const isRead = (name: string) => OWN.has(name) || declared === undefined || declared.includes(name)
  return new Map(attributes.filter(([name]) => isRead(name)).reverse())
}

const NOT_IN_ORDER = 'the attributes of acc are not in their order, each once'

function attributeIn(text: string): [name: string, value: string] {
  const equals = Math.max(0, text.indexOf('='))
  const name = text.slice(0, equals)
  return [COLUMNS.get(name) ?? name, text.slice(equals + 1).trim()]
}

const IN_ORDER: readonly string[] = ACC_COLUMNS.filter((name) => name !== 'time')

/** The attributes that acc itself writes. */
const OWN = new Set<string>([...ACC_COLUMNS, 'created', 'setuptime', 'duration', 'ms_duration'])
