import { cutText } from '#lib/base/text.ts'

/** The dispositions that calls are stored with and searched by. */
type Disposition = 'ANSWERED' | 'NO ANSWER' | 'BUSY' | 'FAILED'

/**
 * The words of switches and carriers, with a space for `_` and `-`: Asterisk's (ast_cdr_disp2str in
 * main/cdr.c), its numbers (AST_CDR_* in asterisk/cdr.h, by cdr_odbc) and DIALSTATUS; NGCP's call_status.
 */
const WORDS: Readonly<Record<Disposition, string>> = {
  ANSWERED: 'ANSWER,OK,8,COMPLETED,COMPLETE,CONNECTED,CALL CONNECTED,ACCEPTED,ESTABLISHED,SUCCESS,SUCCESSFUL',
  'NO ANSWER':
    'NOANSWER,NOT ANSWERED,UNANSWERED,0,CANCEL,CANCELED,CANCELLED,TIMEOUT,OFFLINE,MISSED,ABANDONED,ORIGINATOR CANCEL,LOSE RACE',
  BUSY: '4,LINE BUSY,BUSY HERE',
  FAILED:
    'CONGESTION,2,16,FAIL,FAILURE,ERROR,OTHER,REJECTED,DECLINED,CHANUNAVAIL,UNAVAILABLE,UNREACHABLE,BLOCKED,INVALID,DONTCALL,TORTURE,INVALIDARGS',
}

const DISPOSITIONS: ReadonlyMap<string, Disposition> = new Map(
  (Object.keys(WORDS) as Disposition[]).flatMap((disposition) =>
    [disposition, ...WORDS[disposition].split(',')].map((word) => [word, disposition] as const),
  ),
)

/** Causes of Q.850 for a call that rang and was not answered. */
const NO_ANSWER_CAUSES = new Set([16, 18, 19, 20, 102])
const USER_BUSY = 17

/**
 * Causes that end a call before its answer: no such number, busy, no reply, absent, rejected, changed or
 * incomplete. Others, such as 102 (a timer), may end one that was answered.
 */
const REFUSALS = new Set([1, USER_BUSY, 18, 19, 20, 21, 22, 28])

export const isRefusalCause = (cause: number | undefined): boolean =>
  cause !== undefined && REFUSALS.has(cause)

const MAX_DISPOSITION_CHARACTERS = 40

/** The disposition for a word of a switch. An unknown word stays, in capitals: `implausible` reports it. */
export function dispositionOf(word: string): string {
  const upper = word.trim().toUpperCase()
  return (
    DISPOSITIONS.get(upper.replace(/[\s_-]+/g, ' ')) ??
    dispositionBySip(upper) ??
    cutText(upper, MAX_DISPOSITION_CHARACTERS)
  )
}

/** `486` or `486 Busy Here`: the final SIP status. */
function dispositionBySip(word: string): Disposition | undefined {
  const status = Number(/^([2-6]\d\d)(?: .*)?$/.exec(word)?.[1])
  return Number.isNaN(status) ? undefined : dispositionByCause(status < 300, hangupCauseOfSip(status))
}

export const isKnownDisposition = (disposition: string): boolean =>
  DISPOSITIONS.get(disposition) === disposition

/** The disposition for switches that give only the cause. */
export function dispositionByCause(isAnswered: boolean, cause: number): Disposition {
  if (isAnswered) return 'ANSWERED'
  if (cause === USER_BUSY) return 'BUSY'
  return NO_ANSWER_CAUSES.has(cause) ? 'NO ANSWER' : 'FAILED'
}

/** The cause for switches that give only the disposition; 0 for an unknown one. */
export const causeByDisposition = (disposition: string): number => DISPOSITION_CAUSES.get(disposition) ?? 0

const DISPOSITION_CAUSES = new Map(
  Object.entries({ ANSWERED: 16, 'NO ANSWER': 19, BUSY: USER_BUSY, FAILED: 41 }),
)

/**
 * The causes of ITU-T Q.850 by FreeSWITCH's names (switch_types.h). FreeSWITCH's own causes from 142 up are
 * not in Q.850: they count as normal clearing, as in its variable hangup_cause_q850.
 */
const CAUSE_NAMES = new Map(
  Object.entries({
    UNALLOCATED_NUMBER: 1,
    NO_ROUTE_TRANSIT_NET: 2,
    NO_ROUTE_DESTINATION: 3,
    CHANNEL_UNACCEPTABLE: 6,
    CALL_AWARDED_DELIVERED: 7,
    NORMAL_CLEARING: 16,
    USER_BUSY: 17,
    NO_USER_RESPONSE: 18,
    NO_ANSWER: 19,
    SUBSCRIBER_ABSENT: 20,
    CALL_REJECTED: 21,
    NUMBER_CHANGED: 22,
    REDIRECTION_TO_NEW_DESTINATION: 23,
    EXCHANGE_ROUTING_ERROR: 25,
    DESTINATION_OUT_OF_ORDER: 27,
    INVALID_NUMBER_FORMAT: 28,
    FACILITY_REJECTED: 29,
    RESPONSE_TO_STATUS_ENQUIRY: 30,
    NORMAL_UNSPECIFIED: 31,
    NORMAL_CIRCUIT_CONGESTION: 34,
    NETWORK_OUT_OF_ORDER: 38,
    NORMAL_TEMPORARY_FAILURE: 41,
    SWITCH_CONGESTION: 42,
    ACCESS_INFO_DISCARDED: 43,
    REQUESTED_CHAN_UNAVAIL: 44,
    PRE_EMPTED: 45,
    FACILITY_NOT_SUBSCRIBED: 50,
    OUTGOING_CALL_BARRED: 52,
    INCOMING_CALL_BARRED: 54,
    BEARERCAPABILITY_NOTAUTH: 57,
    BEARERCAPABILITY_NOTAVAIL: 58,
    SERVICE_UNAVAILABLE: 63,
    BEARERCAPABILITY_NOTIMPL: 65,
    CHAN_NOT_IMPLEMENTED: 66,
    FACILITY_NOT_IMPLEMENTED: 69,
    SERVICE_NOT_IMPLEMENTED: 79,
    INVALID_CALL_REFERENCE: 81,
    INCOMPATIBLE_DESTINATION: 88,
    INVALID_MSG_UNSPECIFIED: 95,
    MANDATORY_IE_MISSING: 96,
    MESSAGE_TYPE_NONEXIST: 97,
    WRONG_MESSAGE: 98,
    IE_NONEXIST: 99,
    INVALID_IE_CONTENTS: 100,
    WRONG_CALL_STATE: 101,
    RECOVERY_ON_TIMER_EXPIRE: 102,
    MANDATORY_IE_LENGTH_ERROR: 103,
    PROTOCOL_ERROR: 111,
    INTERWORKING: 127,
  }),
)

/** Q.850 causes by final SIP status (RFC 3398, 8.2.6.1). A cancelled call (487) clears normally. */
const SIP_STATUS_CAUSES = new Map(
  Object.entries({
    400: 41,
    401: 21,
    402: 21,
    403: 21,
    404: 1,
    405: 63,
    406: 79,
    407: 21,
    408: 102,
    410: 22,
    413: 127,
    414: 127,
    415: 79,
    416: 127,
    420: 127,
    421: 127,
    423: 127,
    480: 18,
    481: 41,
    482: 25,
    483: 25,
    484: 28,
    485: 1,
    486: 17,
    487: 16,
    488: 31,
    500: 41,
    501: 79,
    502: 38,
    503: 41,
    504: 102,
    505: 127,
    513: 127,
    600: 17,
    603: 21,
    604: 1,
    606: 31,
  }),
)

/** The cause that FreeSWITCH and Kazoo name; `undefined` for any other word. */
export const causeNamed = (word: string): number | undefined => CAUSE_NAMES.get(word.toUpperCase())

export const NORMAL_CLEARING = 16
export const MAX_CAUSE = 127
const INTERWORKING = 127

/** The cause that a switch writes as a number of Q.850 or by name; `undefined` if it is unknown. */
export function hangupCauseOf(words: string): number | undefined {
  const number = /^\d{1,3}$/.test(words) ? Number(words) : CAUSE_NAMES.get(words.toUpperCase())
  if (number === undefined) return /^[A-Z_]+$/.test(words) ? NORMAL_CLEARING : undefined
  return number > MAX_CAUSE ? NORMAL_CLEARING : number
}

export function hangupCauseOfSip(status: number): number {
  if (status < 300) return NORMAL_CLEARING
  return SIP_STATUS_CAUSES.get(String(status)) ?? INTERWORKING
}
