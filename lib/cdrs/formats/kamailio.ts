import {
  type CdrText,
  cdrRefused,
  type DialogEvent,
  type Found,
  type PartyHints,
  type ReadFormat,
  SKIPPED,
  unreadable,
} from './cdr.ts'
import { type Clock, clockOf } from './clock.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { type Field, filledOnce, firstFilled, quotedValue } from './fields.ts'
import { fieldsOf, readObjects } from './json/json-objects.ts'

/** A number in these fields keeps its digits: see `fieldsOf`. */
export const ID_FIELDS = new Set([
  'callid',
  'from_tag',
  'to_tag',
  'src_user',
  'dst_user',
  'dst_ouser',
  'auth_user',
  'accountcode',
])

/** Transactions of Kamailio's acc_json module, an object each (src/modules/acc_json/acc_json_mod.c). */
export const kamailioJson: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)
  return readObjects(text, (object, written) => transactionIn(fieldsOf(object, written, ID_FIELDS), clock))
}

/**
 * Rows of the table `acc` or `missed_calls` that Kamailio's acc module fills
 * (utils/kamctl/mysql/acc-create.sql). The export begins with a header of column names.
 */
export const kamailioCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)
  return readRows(document, kamailioRows(document), (field) => transactionIn(field, clock))
}

export const kamailioRows = ({ columns }: CdrText): CsvFormat => ({
  columns,
  isHeader: (row) => row.map(nameIn).includes('callid'),
  nameIn,
  remedyFor,
  missingIn: (names) => (names.includes('ms_duration') ? OF_OPENSIPS : undefined),
})

const OF_OPENSIPS = 'its column ms_duration is one of OpenSIPS: read it as opensips-csv'

const remedyFor = (row: readonly string[]): string =>
  `name its ${row.length} columns, such as ${accExample(row)}`

/** The columns of acc, after an id if the method is in the second column. */
function accExample(row: readonly string[]): string {
  const names = [...(/^[A-Z]+$/.test(row[0] ?? '') ? [] : ['id']), ...ACC_COLUMNS]
  return `--columns ${row.map((_cell, index) => names[index] ?? `column${index + 1}`).join(',')}`
}

/** The columns that acc always writes, in its order. */
export const ACC_COLUMNS = [
  'method',
  'from_tag',
  'to_tag',
  'callid',
  'sip_code',
  'sip_reason',
  'time',
] as const

const nameIn = (cell: string): string => cell.trim().toLowerCase()

/** Replies that ask for a password: the client repeats the request, so these are skipped. */
const CHALLENGES = new Set([401, 407])

/**
 * A transaction of Kamailio's acc module: a dialog event, or one that bills nothing: an ACK, a MESSAGE, a
 * CANCEL (its INVITE is reported as 487), or a 183, which acc reports with `early_media=1`. The fields are
 * those of acc (src/modules/acc/README) and of `db_extra` in kamailio.cfg: src_user, src_ip, dst_user,
 * dst_ouser. The operator may add auth_user (`$au`), accountcode, provider, dst_ip and carrier_src.
 * The billed number is dst_user, from the request line: the caller may write anything into To.
 */
export function transactionIn(field: Field, clock: Clock): Found {
  const method = field('method')
  if (method === '') return NO_METHOD
  const sipStatus = statusIn(field('sip_code'))
  const kind = meaningOf(method.toUpperCase(), sipStatus)
  if (kind === undefined) return SKIPPED
  const [callId, moment] = [field('callid'), momentIn(field, clock)]
  if (callId === '') return NO_CALL_ID
  if (moment === undefined) return NO_TIME
  return { kind: 'dialog_event', event: { kind, callId, ...moment, sipStatus, ...sidesOf(field) } }
}

/** `time_mode` 1 puts microseconds into `time_exten`, 2 a Unix time with milliseconds into `time_attr`. */
function momentIn(field: Field, clock: Clock): Pick<DialogEvent, 'at' | 'fraction'> | undefined {
  const moment = clock(firstFilled(field, 'time_attr', 'time'))
  if (moment === undefined) return undefined
  const micros = /^\d{1,6}$/.test(field('time_exten')) ? Number(field('time_exten')) / 1e6 : 0
  const at = Math.floor(moment)
  const fraction = moment === at ? micros : moment - at
  return { at, ...(fraction > 0 && { fraction }) }
}

const NO_METHOD = unreadable('it has no method')
const NO_CALL_ID = unreadable('it has no Call-ID')
const NO_TIME: Found = { kind: 'problem', reason: 'impossible_time', detail: 'it has no time' }

export function sidesOf(
  field: Field,
): Pick<
  DialogEvent,
  'tags' | 'src' | 'dst' | 'dialledDst' | 'carrierDst' | 'carrierSrc' | 'party' | 'provider'
> {
  const dst = reportedUser(firstFilled(field, 'dst_user', 'dst_ouser'))
  return {
    tags: [field('from_tag'), field('to_tag')],
    src: field('src_user'),
    dst,
    dialledDst: field('dst_ouser') || undefined,
    carrierDst: dst,
    carrierSrc: field('carrier_src') || undefined,
    party: partyOf(field),
    provider: {
      out: {
        names: filledOnce(field('provider')),
        addresses: filledOnce(field('dst_ip'), field('dst_domain')),
        channels: [],
      },
      in: { names: [], addresses: filledOnce(field('src_ip')), channels: [] },
    },
  }
}

/**
 * The user of a SIP URI as the next hop reads it. Kamailio reports it as the caller wrote it: `%34` is 4 (RFC
 * 3261 19.1.4), and a telephone number's parameters follow a `;` (19.1.6). Other escapes stay.
 */
const reportedUser = (user: string): string =>
  user
    .replace(/%(2[3ab]|3[0-9])/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/;.*/s, '')

function meaningOf(method: string, status: number): DialogEvent['kind'] | undefined {
  if (CHALLENGES.has(status)) return undefined
  if (method === 'BYE') return 'ended'
  if (method !== 'INVITE' || status < 200) return undefined
  return status < 300 ? 'answered' : 'failed'
}

function statusIn(text: string): number {
  if (/^[1-6]\d\d$/.test(text)) return Number(text)
  throw cdrRefused('unreadable', `${quotedValue(text)} is not a SIP status`)
}

/** `src_user` is authenticated: kamailio.cfg compares both by `auth_check("$fd", "subscriber", "1")`. */
function partyOf(field: Field): PartyHints {
  const user = firstFilled(field, 'auth_user', 'src_user')
  return {
    accountCode: field('accountcode'),
    device: user,
    sipUser: user,
    did: reportedUser(firstFilled(field, 'dst_ouser', 'dst_user')),
    ip: field('src_ip'),
  }
}
