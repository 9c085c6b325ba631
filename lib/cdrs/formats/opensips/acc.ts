import { durationOf } from '#lib/base/duration.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import { NORMAL_CLEARING } from '../call-result.ts'
import { type Cdr, CdrRefused, type Found, type ReadFormat } from '../cdr.ts'
import { type Clock, clockOf } from '../clock.ts'
import { partOf } from '../dialog.ts'
import { type Field, quotedValue } from '../fields.ts'
import { fieldsOf, isObject, readObjects } from '../json-objects.ts'
import { ID_FIELDS, sidesOf, transactionIn } from '../kamailio.ts'
import type { MappedField } from '../mapped-csv.ts'

type Mapping = Readonly<Record<string, string>> | undefined

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
}

/** These fields may hold a whole URI, such as `$fu`. */
const USERS = new Set(['src_user', 'auth_user'])

/** Fields of acc by our names. The source's mapping names the others; a blank one omits a field. */
export const accField =
  (field: Field, mapping: Mapping): Field =>
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
export function accFound(field: Field, clock: Clock, isCdr = false): Found {
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
  if (answered === undefined) throw new CdrRefused('impossible_time', 'it has no time')
  if (field('callid') === '') throw new CdrRefused('unreadable', 'it has no Call-ID')
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
  throw new CdrRefused('unreadable', `${name} ${quotedValue(field(name))} is not a number of seconds`)
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
