import { deviceIn, isSip } from './asterisk.ts'
import { CdrRefused, type LiveEvent, type ReadFormat, SKIPPED, unreadable } from './cdr.ts'
import { clockOf, type Field, firstFilled, scalarText } from './fields.ts'
import { readObjects } from './json-objects.ts'

type Tells = LiveEvent['tells']

/** FreeSWITCH's events for what happens to a channel (switch_event.c). */
const FREESWITCH = new Map<string, Tells>([
  ['CHANNEL_CREATE', 'started'],
  ['CHANNEL_ANSWER', 'answered'],
  ['CHANNEL_HANGUP_COMPLETE', 'ended'],
])

/**
 * Events of calls in progress as JSON, one object each: those of FreeSWITCH's mod_event_socket (`event json`), and those of
 * Asterisk's manager with their headers as names. Events of the legs that a switch dials itself are skipped.
 */
export const live: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object) => {
    const has = (name: string) => object[name] !== undefined
    if (!has('Event-Name') && !has('Event')) return NOT_AN_EVENT
    const field: Field = (name) => scalarText(object[name])
    const event = has('Event-Name') ? freeswitchEvent(field) : asteriskEvent(field)
    return event ? { kind: 'live_event', event: { ...event, at: clock(momentOf(field)) } } : SKIPPED
  })
}

const NOT_AN_EVENT = unreadable('it is not an event of FreeSWITCH or of Asterisk')

/** Microseconds of Unix time, and those of a manager with `timestampevents`. */
const momentOf = (field: Field): string => firstFilled(field, 'Event-Date-Timestamp', 'Timestamp')

type Timeless = Omit<LiveEvent, 'at'>

function freeswitchEvent(field: Field): Timeless | undefined {
  const tells = FREESWITCH.get(field('Event-Name'))
  if (tells === undefined || field('Call-Direction') !== 'inbound') return undefined
  const user = firstFilled(field, 'variable_sip_auth_username', 'variable_user_name')
  const dst = field('Caller-Destination-Number')
  return {
    tells,
    uniqueid: identified(field('Unique-ID')),
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

/** The channel of the caller is the one after which all that are linked to it are named. */
function asteriskEvent(field: Field): Timeless | undefined {
  const tells = asteriskMeaning(field)
  const uniqueid = field('Uniqueid')
  if (tells === undefined || uniqueid !== field('Linkedid')) return undefined
  const [channel, dst] = [field('Channel'), field('Exten')]
  const device = deviceIn(channel)
  return {
    tells,
    uniqueid: identified(uniqueid),
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

const UP = '6'

function asteriskMeaning(field: Field): Tells | undefined {
  const event = field('Event')
  if (event === 'Newchannel') return 'started'
  if (event === 'Hangup') return 'ended'
  return event === 'Newstate' && field('ChannelState') === UP ? 'answered' : undefined
}

function identified(uniqueid: string): string {
  if (uniqueid !== '') return uniqueid
  throw new CdrRefused('unreadable', 'it does not say of which call it is')
}
