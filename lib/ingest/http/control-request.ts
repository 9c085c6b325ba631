import { Buffer } from 'node:buffer'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { type ApiError, httpRefusal } from '#lib/api/errors.ts'
import { headerOf } from '#lib/api/headers.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { type AccountCodes, CALL_OWNER_HINTS, type CallOwnerHint } from '#lib/base/switch-names.ts'
import type { Cdr } from '#lib/cdrs/formats/cdr.ts'
import { filledOnce } from '#lib/cdrs/formats/fields.ts'
import { fieldsOf, isObject } from '#lib/cdrs/formats/json/json-objects.ts'
import { membersOf } from '#lib/cdrs/formats/json/json-text.ts'
import { decodeText } from '#lib/csv/encoding.ts'

/** In bytes. */
const MAX_BODY_BYTES = 4096

/** The most seconds by which a switch's clock may differ. */
const MAX_CLOCK_SECONDS = 300

const PARAMETERS = [
  'call',
  'dst',
  'trunk_dst',
  'provider',
  'src',
  'carrier_src',
  ...CALL_OWNER_HINTS,
  'at',
  'seconds',
  'as',
] as const

type Parameter = (typeof PARAMETERS)[number]

/** JSON numbers of these keep their digits: 1741600000.10 is not the call 1741600000.1. */
const NUMBERS = new Set<string>(PARAMETERS)

export interface ControlRequest {
  readonly call: string
  readonly dst: string
  readonly trunk_dst: string
  readonly provider: string
  readonly src: string
  readonly carrier_src: string
  readonly hints: Readonly<Record<CallOwnerHint, string>>
  /** In milliseconds: the moment that the switch names, or the arrival. */
  readonly at: number
  /** The most that the switch wants; `undefined` without a limit. */
  readonly seconds: number | undefined
}

const bad = (reason: string): ApiError => httpRefusal('bad_request', reason)

/** Returns whether the switch asks for plain text. */
export const wantsText = (event: APIGatewayProxyEvent, values: ReadonlyMap<string, string>): boolean =>
  values.get('as') === 'text' || headerOf(event, 'accept').toLowerCase().startsWith('text/plain')

/** The parameters of a form or of a JSON object. Other names are ignored. Throws ApiError. */
export function parametersIn(event: APIGatewayProxyEvent): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of entriesIn(textIn(event), headerOf(event, 'content-type'))) {
    if (values.has(name) && isParameter(name)) throw bad(`${name} is given twice`)
    values.set(name, name === 'call' ? value : value.trim())
  }
  return values
}

/** An id in which a trimmed or unreadable character is lost would lend its hold to another call. */
const CALL = /^[!-~]+$/

/** Rating reads the digits around them, and mediation suspends the CDR. */
const CONTROL_CHARACTER = /\p{Cc}/u

function textIn(event: APIGatewayProxyEvent): string {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (body.length <= MAX_BODY_BYTES) return decodeText(body).replace(/^[ \t\r\n]+|(?<![\r\n])[\r\n]+$/g, '')
  throw httpRefusal('too_large', `the body has more than ${MAX_BODY_BYTES} bytes`)
}

/** A switch that escapes nothing writes the `+` before a number as it is: a form would read a space. */
const PLUS_OF_NUMBER = /(?<==(?:sips?:|tel:)?)\+(?=\d)/gi

const entriesIn = (text: string, type: string): Iterable<[string, string]> =>
  type.toLowerCase().includes('json') || text.startsWith('{')
    ? jsonEntries(text)
    : new URLSearchParams(text.replaceAll(PLUS_OF_NUMBER, '%2B'))

const isParameter = (name: string): name is Parameter => PARAMETERS.some((one) => one === name)

/** In the order of the text: a repeated name is an entry of its own. */
function jsonEntries(text: string): [string, string][] {
  const object = parsedJson(text)
  if (!isObject(object)) throw bad('the body is not a JSON object')
  const fieldOf = fieldsOf(object, text, NUMBERS)
  return membersOf(text).map(([name]) => {
    const value = object[name]
    if (typeof value === 'object' && value !== null && isParameter(name))
      throw bad(`${name} takes a text or a number`)
    return [name, fieldOf(name)]
  })
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw bad('the body is not JSON')
  }
}

/**
 * Reads the parameters of a request. `needed` must not be blank. A release may repeat the moment of its
 * request, however long ago: it takes no later hold. Throws ApiError.
 */
export function requestIn(
  values: ReadonlyMap<string, string>,
  now: Date,
  { needed, mayBeLate }: { readonly needed: readonly Parameter[]; readonly mayBeLate: boolean },
): ControlRequest {
  const textOf = (name: Parameter) => values.get(name) ?? ''
  const missing = needed.find((name) => textOf(name) === '')
  if (missing) throw bad(`${missing} is missing`)
  if (!CALL.test(textOf('call'))) throw bad('call takes visible ASCII characters, without blanks')
  const broken = PARAMETERS.find((name) => CONTROL_CHARACTER.test(textOf(name)))
  if (broken) throw bad(`${broken} takes no control characters`)
  const at = momentIn(textOf('at'), now, mayBeLate)
  return {
    call: textOf('call'),
    dst: textOf('dst'),
    trunk_dst: textOf('trunk_dst'),
    provider: textOf('provider'),
    src: textOf('src'),
    carrier_src: textOf('carrier_src'),
    hints: Object.fromEntries(
      CALL_OWNER_HINTS.map((hint) => [hint, textOf(hint)]),
    ) as ControlRequest['hints'],
    at,
    seconds: secondsIn(textOf('seconds')),
  }
}

const MOMENT = /^\d{1,12}(\.\d{1,9})?$/

const millisecondsIn = (at: string): number => Math.floor(Number(at) * 1000)

const secondsFrom = (now: Date, at: number): number => Math.round((at - now.getTime()) / 1000)

/** The seconds by which the clock of the switch is ahead; `undefined` if it names no moment. */
export function secondsAhead(values: ReadonlyMap<string, string>, now: Date): number | undefined {
  const text = values.get('at') ?? ''
  return MOMENT.test(text) ? secondsFrom(now, millisecondsIn(text)) : undefined
}

/** The clock of a switch that named the moment of a hold, and not that of its release, may be ahead. */
function momentIn(text: string, now: Date, mayBeLate: boolean): number {
  if (text === '') return now.getTime() + (mayBeLate ? MAX_CLOCK_SECONDS * 1000 : 0)
  if (!MOMENT.test(text)) throw bad(AT_RULE)
  const at = millisecondsIn(text)
  const off = secondsFrom(now, at)
  if (off <= MAX_CLOCK_SECONDS && (mayBeLate || off >= -MAX_CLOCK_SECONDS)) return at
  const where = off > 0 ? `${off} s ahead of` : `${-off} s behind`
  throw bad(`${AT_RULE}: it is ${where} the clock of Tollgate, so let the switch keep its time by NTP`)
}

const AT_RULE = `at takes Unix seconds, at most ${MAX_CLOCK_SECONDS} from now`

function secondsIn(text: string): number | undefined {
  if (text === '') return undefined
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw bad('seconds takes a whole number above 0')
  return Number(text)
}

/** The call as its CDR will have it, answered for a second: rated by the same number and payer. */
export function cdrOf(
  { call, dst, trunk_dst, provider, src, carrier_src, hints, at }: ControlRequest,
  codes: AccountCodes | undefined,
): Cdr {
  const { account_code: accountCode, sip_user: sipUser, ip } = hints
  return {
    uniqueid: call,
    part: '',
    start: secondsOf(new Date(at)),
    src,
    dst,
    carrierDst: trunk_dst || undefined,
    carrierSrc: carrier_src || undefined,
    duration: 1,
    billsec: 1,
    disposition: 'ANSWERED',
    hangupcause: 16,
    channel: '',
    party: { accountCode, codes, device: hints.device || sipUser, sipUser, did: hints.did || dst, ip },
    provider: {
      out: { names: filledOnce(provider), addresses: filledOnce(provider), channels: [] },
      in: { names: [], addresses: filledOnce(ip), channels: [] },
    },
  }
}
