import { deviceIn, isSip } from './asterisk.ts'
import { cdrRefused, type LiveEvent, type ReadFormat, SKIPPED, unreadable } from './cdr.ts'
import { clockOf } from './clock.ts'
import { type Field, firstFilled, scalarText } from './fields.ts'
import { readObjects } from './json/json-objects.ts'

type LiveKind = LiveEvent['kind']

/** FreeSWITCH's events of a channel (switch_event.c). */
const FREESWITCH_EVENTS = new Map<string, LiveKind>([
  ['CHANNEL_CREATE', 'started'],
  ['CHANNEL_ANSWER', 'answered'],
  ['CHANNEL_HANGUP_COMPLETE', 'ended'],
])

/**
 * Events of calls in progress, one JSON object each: from FreeSWITCH's mod_event_socket (`event json`), or
 * from Asterisk's manager with its headers as names. Events of B-legs are skipped.
 */
export const live: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object) => {
    const has = (name: string) => object[name] !== undefined
    if (!has('Event-Name') && !has('Event')) return NOT_AN_EVENT
    const field: Field = (name) => scalarText(object[name])
    const event = has('Event-Name') ? freeswitchEvent(field) : asteriskEvent(field)
    if (!event) return SKIPPED
    const at = clock(momentOf(field))
    return { kind: 'live_event', event: { ...event, at: at && Math.floor(at) } }
  })
}

const NOT_AN_EVENT = unreadable('it is not an event of FreeSWITCH or of Asterisk')

/** FreeSWITCH gives Unix microseconds, Asterisk's manager Unix seconds if `timestampevents` is on. */
const momentOf = (field: Field): string => firstFilled(field, 'Event-Date-Timestamp', 'Timestamp')

type Timeless = Omit<LiveEvent, 'at'>

function freeswitchEvent(field: Field): Timeless | undefined {
  const kind = FREESWITCH_EVENTS.get(field('Event-Name'))
  if (kind === undefined || field('Call-Direction') !== 'inbound') return undefined
  const user = firstFilled(field, 'variable_sip_auth_username', 'variable_user_name')
  const dst = field('Caller-Destination-Number')
  return {
    kind,
    uniqueid: uniqueIdOf(field('Unique-ID')),
    src: field('Caller-Caller-ID-Number'),
    dst,
    channel: firstFilled(field, 'Channel-Name', 'Caller-Channel-Name'),
    party: {
      accountCode: field('variable_accountcode'),
      device: user,
      sipUser: user,
      did: dst,
      ip: field('Caller-Network-Addr'),
    },
  }
}

/** The unique id of the A-leg is the linked id of all channels of its call. */
function asteriskEvent(field: Field): Timeless | undefined {
  const kind = asteriskMeaning(field)
  const uniqueid = field('Uniqueid')
  if (kind === undefined || uniqueid !== field('Linkedid')) return undefined
  const [channel, dst] = [field('Channel'), field('Exten')]
  const device = deviceIn(channel)
  return {
    kind,
    uniqueid: uniqueIdOf(uniqueid),
    src: field('CallerIDNum'),
    dst,
    channel,
    party: {
      accountCode: field('AccountCode'),
      device,
      sipUser: isSip(channel) ? device : '',
      did: dst,
      ip: '',
    },
  }
}

/** AST_STATE_UP of Asterisk (include/asterisk/channelstate.h). */
const UP = '6'

function asteriskMeaning(field: Field): LiveKind | undefined {
  const event = field('Event')
  if (event === 'Newchannel') return 'started'
  if (event === 'Hangup') return 'ended'
  return event === 'Newstate' && field('ChannelState') === UP ? 'answered' : undefined
}

/** Throws refused_cdr for a blank id. */
function uniqueIdOf(uniqueid: string): string {
  if (uniqueid !== '') return uniqueid
  throw cdrRefused('unreadable', 'it has no unique id')
}
