import { type MethodWords, optionalWords, type ParameterWords, PERIOD, signedOnlyWords } from './words.ts'

/** local_calls_get is the only method that refuses such a value (wire.md 4.5). */
const refusedUnless = (end: string): Pick<ParameterWords, 'otherwise'> => ({
  otherwise: `a Unix timestamp; anything else is refused with \`${end} must be valid timestamp\`, blank counts as not sent`,
})

const exactly = (example: string): ParameterWords => ({
  says: 'Only entries with exactly this value.',
  default: 'all',
  example,
})

export const callWords: MethodWords = {
  quickstats_get: {},
  active_calls_get: {},
  user_calls_get: {
    period_start: PERIOD.from,
    period_end: PERIOD.till,
    s_user: {
      says: 'The customer; ignored for a plain user.',
      default: 'everybody in scope',
      example: '20',
    },
    s_call_type: { says: 'Only calls with this result.', default: 'all', example: 'answered' },
    s_device: { says: 'Only calls from this device.', default: 'all', example: '20' },
    s_provider: {
      says: 'Only calls through this provider; ignored for a plain user or partner.',
      default: 'all',
      example: '1',
    },
    s_hgc: { says: 'Only calls with this hangup cause.', default: 'all', example: '16' },
    s_did: signedOnlyWords('all'),
    s_destination: {
      says: 'Only calls to numbers that begin with these digits.',
      default: 'all',
      example: '44',
    },
    order_by: signedOnlyWords('time'),
    order_desc: signedOnlyWords('0'),
    only_did: signedOnlyWords('0'),
    s_uniqueid: {
      says: 'Only calls with this id, in any period unless one is sent.',
      default: 'all',
      example: 'demo-call-1',
    },
    s_callback_uniqueid: signedOnlyWords(),
    originator_codec_name: signedOnlyWords(),
    terminator_codec_name: signedOnlyWords(),
  },
  local_calls_get: {
    from: { ...PERIOD.from, ...refusedUnless('From') },
    till: { ...PERIOD.till, ...refusedUnless('Till') },
    s_userid: {
      says: 'The customer at either end; ignored for a plain user.',
      default: 'everybody in scope',
      example: '10',
    },
    s_user: optionalWords('Another name for s_userid.', '10'),
  },
  queue_log_get: {
    from: PERIOD.from,
    till: PERIOD.till,
    queuename: exactly('reception'),
    agent: exactly('SIP/2030'),
    event: exactly('CONNECT'),
    callid: exactly('demo-queue-101'),
    data1: exactly('8'),
    data2: exactly('12025550161'),
    data3: exactly('1'),
    data4: exactly(''),
    data5: exactly(''),
  },
}
