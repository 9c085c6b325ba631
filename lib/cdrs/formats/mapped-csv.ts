import type { Seconds } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { DATE_ORDERS, isYearLast, withYearFirst } from '#lib/base/date-order.ts'
import {
  hasColumn,
  indexAtPosition,
  isUnknownWord,
  plainHeading,
  zoneInHeading,
  zoneNamed,
} from '#lib/csv/headings.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import {
  causeByDisposition,
  causeNamed,
  dispositionByCause,
  dispositionOf,
  hangupCauseOf,
  hangupCauseOfSip,
  isRefusalCause,
  MAX_CAUSE,
} from './call-result.ts'
import { type Cdr, type CdrText, cdrRefused, type Found, type ReadFormat } from './cdr.ts'
import { type CallTimes, type Clock, clockOf, namesMoment, requireTimed, timesOf } from './clock.ts'
import { type CsvFormat, conditionIn, missingCondition, readRows } from './csv-rows.ts'
import { type Field, filledOnce, quotedNames, quotedValue, shellQuoted } from './fields.ts'
import { contradictedLengths, longerThanTalk } from './lengths-and-times.ts'
import {
  clockDigitsProblem,
  columnsOf,
  commonZone,
  fieldText,
  type MappedPlan,
  planFields,
  TIMES,
} from './mapped-fields.ts'

/**
 * The CSV of any switch. The mapping of the source gives the column of each field; a blank one leaves the
 * field out. The column names are in the header, or in the columns of the source for a file without a header.
 */
export const mappedCsv: ReadFormat = (document) => {
  return readRows(document, mappedRows(document), mappedReaderOf(document))
}

/** Reads the CDR in the columns of a row, or in the paths of an object. */
export function mappedReaderOf(document: CdrText): (column: Field, columns: readonly string[]) => Found {
  const readerOf = memoize((columns: readonly string[]) => ({
    ...fieldReader(document, columns),
    kinds: kindColumns(document, columns),
  }))
  const isOfRow = ID_OF_ROW.test(document.mapping?.['uniqueid'] ?? '')
  return (column, columns) => {
    const { field, clock, tellsAnswer, kinds, requireZone } = readerOf(columns)
    const cdr = mappedCdr((name) => field(name, column), clock, tellsAnswer)
    const hasId = cdr.uniqueid !== '' && !isOfRow
    const isUntold = cdr.disposition === 'ANSWERED' && TOLD_BY.every((name) => field(name, column) === '')
    const isBilled = cdr.billsec > 0 && isUntold
    for (const kind of kinds) requireCall(kind, column(kind.name), hasId, isBilled)
    requireZone?.(column)
    const incoming = kinds.find((kind) => isIncoming(kind, column(kind.name)))?.name
    return { kind: 'cdr', cdr: incoming ? { ...cdr, incomingBy: `${incoming}=${column(incoming)}` } : cdr }
  }
}

/** The fields that say whether a call was answered. */
const TOLD_BY = ['disposition', 'answer', 'sip_status'] as const

const KIND =
  /(?:^|\.)(?:record|(?:(?:call|cdr|record|txn|transaction|service|usage|event|traffic|item|entry)[ _-]?)?(?:type|kind|service|item))$/i

/** Other headings that may say where a call went, or why it ended: `Tipo de llamada`, `Anrufrichtung`. */
const DIRECTION =
  /(?:^|[^a-z])(?:dir\w*|type?|tipo|art|class|category|userfield|description|i\/?o|in\w{0,6}[ /]*out\w*|sens|sentido|cause|reason|acc\w+ status|тип|направ\S+)(?: (?:d\w{0,2}\b|of|appel|llamada|chamada|вызова|звонка).*| ?\(.*)?$|richt\w+$|typ$|[fs]art$/

/** Not the kind of a number or of a party. */
const OF_PARTY = /number|call(?:er|ee|ing|ed)|from|source|client|contact/

const LEG = /(?:^|[^a-z])(?:leg(?: ?(?:id|no|number|type))?|call origin)$/

const RESULT =
  /(?:^|\.)(?:(?:call|cdr|final|dial|end|action|last|leg|connection) )*(?:status|state|result\w*|outcome|disposition|ergebnis|estado|statut|stato|esito|статус)$/

/** Headings of yes and no. */
const FLAG =
  /(?:^|\.)(?:(?:is|was|call) )?(?:answer(?:ed)?(?: indicator)?|success(?:ful)?(?: call)?|connected|incoming|inbound|internal)$/

/** A column that says what a row is. */
type KindColumn = ReturnType<typeof kindColumns>[number]

/** The columns that say what a row is, unless the rows are chosen by them. */
function kindColumns({ where = [], mapping = {} }: CdrText, columns: readonly string[]) {
  const answer = mapping['answer'] ?? likelyColumns(columns)('answer')
  const chosen = new Set(where.map((condition) => conditionIn(condition)?.column))
  return columns.flatMap((name) => {
    const heading = plainHeading(name).replace(/[_-]/g, ' ')
    const isDirection = DIRECTION.test(heading) && !OF_PARTY.test(heading)
    const tells = { isKind: KIND.test(name), isLeg: LEG.test(heading), isResult: RESULT.test(heading) }
    const isAnswer = name === answer && /time|date|at$|stamp/.test(heading)
    const column = { name, heading, ...tells, isFlag: FLAG.test(heading), isAnswer }
    const isTelling = isDirection || Object.values(column).includes(true)
    return isTelling && !chosen.has(name) ? [column] : []
  })
}

const NO_CALL =
  /^(?:text|message|data|internet|credit|refund|storno|reversal|payment|top-?up|recharge|(?:\w+ )?fee|subscription)$/

/** In any column that says what a row is: `Outgoing SMS`. */
const MESSAGE = /\b[sm]ms\b|\bgprs\b/

/** Of a call that lasts: without an id, its seconds would be billed beside those of its end. */
const PART_OF_CALL = /^inter(?:im|mediate)|^(?:partial|(?:long )?duration)$/

/** The id of a row is no id of its call. */
const ID_OF_ROW = /(?:record|row|line|seq\w*)[ _-]?(?:id|n\w*)?$/i

/** Returns whether a row says that it is no call, a part of one (3 in RADIUS), or its second leg. */
function isNoCall({ isKind, isLeg, heading }: KindColumn, kind: string, hasId: boolean): boolean {
  const isPart = PART_OF_CALL.test(kind) || (kind === '3' && /^acc\w+ status/.test(heading))
  const isSecond = isLeg && /^(?:b|[2-9]|originate)$/.test(kind)
  return isSecond || (isPart && !hasId) || MESSAGE.test(kind) || (isKind && NO_CALL.test(kind))
}

const INCOMING =
  /inbound|incoming|eing[ae]|kommend|entra[dnt]|inkom|recib|receb|ricev|recue?s?$|przych|prich|\bgelen|входящ|呼入|\bin$|^(?:origination|terminating|received|trunking originating|mtc?|did|pin|i[dv]in)$|\bintern(?:al|[aeo])?(?![a-z.])|внутр/

/** `Missed outgoing`, `NOPICKUP`, `not answered`. */
const NOT_ANSWERED =
  /^(?!not miss).*(?:\bmiss|abandon|cancel|\bbusy|reject|declin|verpasst|besetzt|nicht (?:ang|bea|err|ver)|perdid|ocupad|manque|occupe|пропущ|занят|\b(?:no|not|un|non|sans) ?(?:answer|pick|success|connect|user|contest|atend|rep))/

/** The words of a cell; of a flag, those of its heading. */
function wordsOf({ heading, isFlag }: KindColumn, value: string): string {
  const words = plainHeading(value)
    .replace(/[\s_-]+/g, ' ')
    .trim()
  if (heading.endsWith('description')) return /^in(?:bound|coming)/.test(words) ? words : ''
  if (!isFlag) return words
  if (/^(?:no?|false|0)?$/.test(words)) return value === '' ? '' : `not ${heading}`
  return /^(?:y|yes|true|1)$/.test(words) ? heading : ''
}

/** `user_in`, `ByotIn`, `Inbound call`; `I` in a column of directions, as it may be another type. */
function isIncoming(column: KindColumn, value: string): boolean {
  const words = wordsOf(column, value)
  return INCOMING.test(words)
    ? !/\bout|^not /.test(words)
    : words === 'i' && /dir|\bi\/?o$|out$|richt/.test(column.heading)
}

function isRefused(column: KindColumn, value: string): boolean {
  // Not 0, which may be the seconds until the answer.
  if (column.isAnswer) return !namesMoment(value) && !/^[0:.]+$/.test(value)
  const words = wordsOf(column, value)
  const isFailure = () => /\bfail/.test(words) || REFUSED.has(dispositionOf(words))
  return NOT_ANSWERED.test(words) || (column.isResult && !/^\d\d?$/.test(words) && isFailure())
}

const REFUSED = new Set(['NO ANSWER', 'BUSY', 'FAILED'])

/** Seconds of another kind are a number of messages, bytes, those of an earlier row, or of the ringing. */
function requireCall(column: KindColumn, value: string, hasId: boolean, isBilled: boolean): void {
  const kind = value.trim().toLowerCase()
  const isOther = isNoCall(column, kind, hasId)
  if (!isOther && !(isBilled && isRefused(column, value))) return
  const says = `its column ${quotedValue(column.name)} says ${quotedValue(kind)}, which is no ${isOther ? '' : 'answered '}call`
  throw cdrRefused('unreadable', `${says}: leave it out by --where ${quotedValue(`${column.name}!=${kind}`)}`)
}

const ZONE_COLUMN = /(?:time[ _]?zone|(?:\b|_)tz|(?:utc|gmt)[ _]?offset)$/i

/** A time without an offset is in the zone of the source. Refuses a row whose column names another zone. */
function zoneCheck(
  { mapping = {}, zone: own }: CdrText,
  columns: readonly string[],
  momentIn: (zone: string, column: Field) => Seconds | undefined,
): (column: Field) => void {
  const used = new Set(Object.values(mapping).flatMap((mapped) => columnsOf(mapped, columns)))
  const zones = columns.filter((name) => ZONE_COLUMN.test(name) && !used.has(name))
  return (column) => {
    for (const name of zones) {
      const zone = zoneInHeading(`(${column(name)})`) ?? own
      const possible = isUnknownWord(zone) ? ['UTC', 'Asia/Tokyo'] : [zone]
      if (possible.every((one) => momentIn(one, column) === momentIn(own, column))) continue
      const says = `its column ${quotedValue(name)} says ${quotedValue(column(name))}, and its time has no zone`
      const [joined, declared] = [`+${name}`, ':UTC'].map((end) =>
        shellQuoted(`start=${mapping['start'] ?? 'start'}${end}`),
      )
      throw cdrRefused('impossible_time', `${says}: say --map ${joined}, or that of all times as ${declared}`)
    }
  }
}

/** A time and the name of its zone: `2026-11-20 10:00:00 EST`, Cisco's `10:00:00.123 PST Fri Nov 20 2026`. */
const WITH_ZONE = /^([*.\d][\d/:., T-]{7,30}(?: ?[AP]M)?) ([a-z][\w/+-]+)((?: \w+)*)$/i

function withoutZoneName(text: string): readonly [time: string, zone?: string | undefined] {
  const [, time = '', word, day = ''] = WITH_ZONE.exec(text) ?? []
  const zone = word === undefined ? undefined : zoneNamed(word)
  return zone === undefined ? [text] : [time + day, zone]
}

/** Reads the fields of rows with these columns. Times in several zones become Unix times. */
function fieldReader(document: CdrText, columns: readonly string[]) {
  const plan = planOf(document, columns)
  const zone = commonZone(plan, document.zone)
  const inZone = (name: string): Clock => {
    const clock = clockOf(name)
    const ordered = (text: string) => (isYearLast(text) ? yearFirst(text, document) : text)
    const read = (text: string) => clock(ordered(text))
    return Object.assign(read, { ...clock, second: (text: string) => clock.second(ordered(text)) })
  }
  const field = (name: MappedField, column: Field): string => {
    const planned = plan.fields.get(name)
    const text = planned ? fieldText(planned, column) : ''
    if (text === '' || !TIMES.some((time) => time === name)) return text
    const [time, own = zone] = withoutZoneName(text)
    if (own !== undefined && own === zone) return time
    return String(inZone(own ?? planned?.zone ?? document.zone)(time) ?? text)
  }
  const answer = plan.fields.get('answer')?.columns ?? []
  const tellsAnswer = answer.length > 0 && answer.every((name) => hasColumn(columns, name))
  const startIn = (one: string, column: Field) => inZone(one)(field('start', column))
  const isSaid = plan.fields.get('start')?.zone !== undefined
  const requireZone = isSaid ? undefined : zoneCheck(document, columns, startIn)
  return { plan, field, clock: inZone(zone ?? document.zone), tellsAnswer, requireZone }
}

const planOf = ({ mapping = {}, lengths }: CdrText, columns: readonly string[]): MappedPlan =>
  planFields(MAPPED_FIELDS, mapping, columns, lengths === 'ask' ? undefined : lengths)

/** Day and month of a time are not guessed. Throws refused_cdr. */
function yearFirst(text: string, { dates }: CdrText): string {
  if (dates) return withYearFirst(text, dates)
  const orders = DATE_ORDERS.map((order) => `--dates ${order}`).join(' or ')
  throw cdrRefused('impossible_time', `${quotedValue(text)} is not a time: add ${orders}`)
}

export function mappedRows(document: CdrText): CsvFormat {
  const startColumn = document.mapping?.['start'] ?? 'start'
  return {
    columns: document.columns,
    isHeader: (row) =>
      indexAtPosition(startColumn) === undefined
        ? hasColumns(row.map(nameIn), startColumn)
        : document.columns === undefined && holdsNames(row),
    isForeignHeader: (row) => document.columns === undefined && holdsNames(row),
    nameIn,
    remedyFor: (row) =>
      document.columns ? undefined : `name its ${row.length} columns, such as ${columnsExample(row)}`,
    missingIn: (columns) =>
      missingName(document, columns, 'column', Object.keys(document.mapping ?? {})) ??
      planOf(document, columns).problem,
    unclearIn: (columns, rows) => unclearLengths(document, columns, rows),
    tidied: inDoubleQuotes,
    isFrame,
  }
}

/** NGCP's export puts a version and a number of rows above the rows, and an MD5 below them. */
const isFrame = (row: readonly string[]): boolean => /^(?:\d{3,4},\d{4,}|[\da-f]{32})$/i.test(row.join(','))

/** A line whose cells are all in single quotes, which double the ones inside. */
const IN_SINGLE_QUOTES = /^'.*'(?=\r?$)/gm

const inDoubleQuotes = (text: string): string =>
  text.replace(IN_SINGLE_QUOTES, (line) => {
    const cells = line.slice(1, -1).replaceAll('"', '""')
    return `"${cells.replace(/'([,;|\t]) ?'/g, '"$1"').replaceAll("''", "'")}"`
  })

/** A row of names has no number, and CDRs have some. */
const holdsNames = (row: readonly string[]): boolean =>
  row.filter((cell) => /\p{L}/u.test(cell)).length > 1 && !row.some((cell) => /\d{4}|^[\d.:-]+$/.test(cell))

/**
 * A mapping to a column that is missing would make every call one without that field, such as one without
 * seconds. Without the column of the start, the columns have other names than the fields.
 */
function missingName(
  { mapping = {} }: CdrText,
  columns: readonly string[],
  noun: string,
  fields: readonly string[],
): string | undefined {
  const isMissing = (mapped: string | undefined) => mapped !== undefined && !hasColumns(columns, mapped)
  const field = fields.find((name) => isMissing(mapping[name]))
  const no = (name = '') => `no ${noun} is ${quotedValue(name)}, the ${noun}s are ${quotedNames(columns)}: `
  if (field !== undefined) return `${no(mapping[field])}correct --map ${field}=`
  if (mapping['start'] !== undefined || !isMissing('start')) return undefined
  return `${no('start')}name the ${noun} of each field, such as ${mapExample(columns) || `--map start=${noun.toUpperCase()}`}`
}

/** Every CDR has these, so a path that an object lacks is a wrong one. Others may be left out when blank. */
const NEVER_LEFT_OUT = ['start', 'uniqueid', 'dst'] as const

/** The reason why an object with these values at its paths cannot be read; `undefined` if it can. */
export function obstacleOfPaths(
  document: CdrText,
  paths: readonly string[],
  values: readonly string[],
): string | undefined {
  const missing =
    missingName(document, paths, 'path', NEVER_LEFT_OUT) ?? missingCondition(document, paths, 'path')
  return missing ?? planOf(document, paths).problem ?? unclearLengths(document, paths, () => [values])
}

/** The question about lengths whose unit their digits leave open, or the times of their row. */
function unclearLengths(
  document: CdrText,
  columns: readonly string[],
  rows: () => Iterable<readonly string[]>,
): string | undefined {
  const plan = planOf(document, columns)
  const digits = clockDigitsProblem(plan, columns, { rows, isPart: document.lengths === 'ask' })
  if (digits !== undefined) return digits
  const [answer = '', end = ''] = ['answer', 'end'].map(likelyColumns(columns))
  const {
    plan: timed,
    field,
    clock,
  } = fieldReader({ ...document, mapping: { answer, end, ...document.mapping } }, columns)
  const momentsOf = (column: Field) => TIMES.map((name) => clock(field(name, column)))
  return contradictedLengths(timed, columns, { rows, momentsOf }) ?? longerThanTalk(plan, columns, rows)
}

const hasColumns = (columns: readonly string[], mapped: string): boolean =>
  columnsOf(mapped, columns).every((column) => hasColumn(columns, column))

const nameIn = (cell: string): string => cell.trim()

function mappedCdr(field: (name: MappedField) => string, clock: Clock, tellsAnswer: boolean): Cdr {
  const times = timesOf(field, clock)
  const { start, duration, billsec } = times
  const [src, dst, channel] = [field('src'), field('dst'), field('channel')]
  const sipUser = userIn(field('sip_user'))
  return {
    uniqueid: field('uniqueid'),
    part: '',
    start,
    duration,
    billsec,
    src,
    dst,
    carrierDst: field('carrier_dst') || undefined,
    carrierSrc: field('carrier_src') || undefined,
    ...resultOf(field, times, tellsAnswer),
    channel,
    party: {
      accountCode: field('account_code'),
      device: userIn(field('device')) || sipUser,
      sipUser,
      did: field('did') || dst,
      ip: field('ip'),
    },
    provider: {
      out: {
        names: filledOnce(field('provider')),
        addresses: filledOnce(field('provider_ip')),
        channels: filledOnce(field('provider_channel')),
      },
      in: { names: [], addresses: filledOnce(field('ip')), channels: filledOnce(channel) },
    },
  }
}

/** The device in `Carol Dent <2010>` or `sip:2010@example.net`. */
const userIn = (text: string): string => (/<|^sips?:/i.test(text) ? calledUser(text) : text)

/**
 * Disposition and cause. If the CDR gives only one of them, the other is derived from it. The final SIP
 * status tells an answer of no length from no answer; a call with billed seconds was answered,
 * unless its status is a refusal. Without a result, a column of answers decides whether there was one.
 */
function resultOf(
  field: (name: MappedField) => string,
  times: CallTimes,
  tellsAnswer: boolean,
): Pick<Cdr, 'disposition' | 'hangupcause'> {
  const { word, cause, isTold, status, isRefused } = endOf(field)
  const likelyCause = cause ?? (tellsAnswer ? NO_ANSWER : 0)
  const isDenied =
    tellsAnswer && word === '' && (cause ?? status) === undefined && !namesMoment(field('answer'))
  const derived = dispositionByCause(isAnswered(times, status) && !isRefused && !isDenied, likelyCause)
  const disposition = isTold ? dispositionOf(word) : derived
  requireTimed(times, disposition === 'ANSWERED' || isOpen(word, cause, tellsAnswer))
  return { disposition, hangupcause: cause ?? causeByDisposition(disposition) }
}

/** The end of the call by the CDR: a refusal comes before an answer, unless one is given. */
function endOf(field: (name: MappedField) => string) {
  const ofSip = endIn(field('sip_status'), 100)
  const ofCause = endIn(field('hangupcause'), MAX_CAUSE + 1)
  const status = ofSip.status ?? ofCause.status
  const word = field('disposition').replace(CAUSE_NUMBER, '')
  const named = causeNamed(word)
  const cause = ofCause.cause ?? hangupCauseOf(field('hangupcause')) ?? named ?? ofSip.cause
  const isRefused = status === CANCELLED || [cause, ofSip.cause].some(isRefusalCause)
  return {
    word,
    cause,
    status,
    isTold: word !== '' && named === undefined,
    isRefused: isRefused && !namesMoment(field('answer')),
  }
}

/** ASTPP writes `NORMAL_CLEARING [16]`. */
const CAUSE_NUMBER = / ?\[\d{1,3}\]$/

/** The SIP status of a call that its caller gave up. */
const CANCELLED = 487

/** The CDR does not say whether the call was answered. */
const isOpen = (word: string, cause: number | undefined, tellsAnswer: boolean): boolean =>
  word === '' && cause === undefined && !tellsAnswer

/** Q.850. */
const NO_ANSWER = 19

/** The end of the call: `486 Busy Here`, `17 - User busy`, `call rejected (21)`, `Q.850;cause=17`. */
function endIn(text: string, leastStatus: number): { status?: number; cause?: number | undefined } {
  const [, named, number = named] = /cause=(\d{1,3})\b|(?<![\w.])(\d{1,3})(?![\w.])/i.exec(text) ?? []
  if (number === undefined) return { cause: causeNamed(text.replace(/[\s-]+/g, '_')) ?? busyIn(text) }
  const status = Number(number)
  if (status < leastStatus || status > 699) return { cause: hangupCauseOf(number) }
  return { status, cause: hangupCauseOfSip(status) }
}

const busyIn = (text: string): number | undefined =>
  dispositionOf(text) === 'BUSY' ? causeByDisposition('BUSY') : undefined

const isAnswered = (times: CallTimes, status: number | undefined): boolean =>
  times.billsec > 0 || (status === undefined ? times.isAnswered : status >= 200 && status < 300)

/** The fields of the generic CSV. A field without a mapping is in the column of its own name. */
export const MAPPED_FIELDS = [
  'uniqueid',
  'start',
  'answer',
  'end',
  'src',
  'dst',
  'duration',
  'billsec',
  'disposition',
  'hangupcause',
  'sip_status',
  'account_code',
  'device',
  'sip_user',
  'did',
  'ip',
  'channel',
  'provider',
  'provider_ip',
  'provider_channel',
  'carrier_dst',
  'carrier_src',
] as const

export type MappedField = (typeof MAPPED_FIELDS)[number]

/**
 * Patterns of the names that switches and carriers give the columns of CDRs, in lower case and without signs,
 * the most specific first. They appear in the example of an error message. Where the times of the answer and
 * the end are not mapped, they are compared with lengths and results.
 */
const LIKELY_NAMES: Partial<Record<MappedField, string>> = {
  uniqueid: 'uniqueid call[is]?id uuid pkid (cdr|transaction|(acct)?session|record|history)id id',
  start:
    '(call|h323)?(start|setup)(date)?(time)?(stamp)?(utc)? timestart datetimeorigination startedat calldate(time)? datetime (begin|initiation)time created date time',
  answer:
    '(h323)?(answer(ed)?|connect|pickup)(date|time|stamp)+(utc)? (answer|connect)edat (date|time)+(answer|connect)(ed)? (h323)?(answer|connect)',
  end: '(call|h323|conversation|session)?(end|stop|hangup|release|disconnect|complete|finish)(e?d)?(date|time|at|stamp)*(utc)? (date|time)+(end|disconnect)(ed)?',
  billsec:
    '(bill(ed|able|ing)?|charged)(sec|seconds|duration) (talk(ing)?|conversation)(time|duration) feetime connectedtime callduration duration (acct)?sessiontime seconds length',
  src: 'src ani cli (caller|calling)(party)?(number|id|e164)? (src|source|from|a)(number|no) (call)?from srcuser srcprefixin source callingstationid',
  dst: 'dst dnis cld (finalcalled|callee|calleee|called)(party)?(number|e164)? (destination|diall?ed|dial|dst|to|b)(number|no) (call)?to calledstation(id)? dstuser dstprefixin destination',
  account_code: 'account(code|id)? customer(name|acc|account|id)? iaccount username client user',
  device: 'device extension fromdn endpoint',
  ip: '(customer|caller|src|source|remote|signal|originating)?ip',
  sip_status: '(final)?sip(status|code) disconnectcode',
  hangupcause: 'hangupcause q850 (h323)?disconnectcause destcausevalue cause endreason',
  disposition: 'disposition callstatus callresult status result',
}

/** Without a unit or a zone in brackets. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\(\w{1,4}\)$/, '')
    .replace(/[^a-z0-9]/g, '')

/** Returns the column with the likeliest name of a field; blank for none. Each JSON object asks. */
const likelyColumns = memoize((columns: readonly string[]) => {
  const plain = columns.map((column) => plainName(column.replace(/^.*[.](?=\p{L})/u, '')))
  return memoize((field: string): string => {
    const patterns = (LIKELY_NAMES[field as MappedField] ?? '')
      .split(' ')
      .map((name) => new RegExp(`^(?:${name})$`))
    const indices = patterns.map((pattern) => plain.findIndex((one) => pattern.test(one)))
    return columns[indices.find((index) => index >= 0) ?? -1] ?? ''
  })
})

/** `--map` for each well-known column: `--map start=StartTime --map 'dst=To No'`. Blank for none. */
function mapExample(columns: readonly string[]): string {
  const options = Object.keys(LIKELY_NAMES).flatMap((field) => {
    const column = likelyColumns(columns)(field)
    return column === '' || column === field ? [] : [`--map ${shellQuoted(`${field}=${column}`)}`]
  })
  return options.join(' ')
}

/** Fields in the usual order of cells that look alike. */
const LOOKS: readonly (readonly [look: RegExp, fields: readonly MappedField[]])[] = [
  [
    /^\D?\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\D|^\d{14}$|^\d{10}(\.\d+)?$|^\d{4}-\d\d-\d\d$/,
    ['start', 'answer', 'end'],
  ],
  [/^\+?\d{7,15}$/, ['src', 'dst']],
  [/^\d{1,5}(\.\d+)?$|^\d{1,2}:\d\d(:\d\d)?$/, ['duration', 'billsec']],
]

/** `--columns` for a row without a header, with fields for the cells that look like theirs. */
function columnsExample(row: readonly string[]): string {
  const free = LOOKS.map(([look, fields]) => ({ look, fields: [...fields] }))
  const names = row.map((cell, index) => {
    const likely = free.find(({ look }) => look.test(cell.trim()))
    return likely?.fields.shift() ?? `column${index + 1}`
  })
  return `--columns ${names.join(',')}`
}
