import { clockOf } from '#lib/intake/clock.ts'
import { type JsonObject, readObjects } from '#lib/intake/json-objects.ts'
import { DocumentRefused, type LiveEvent, type ReadFormat } from '#lib/intake/record.ts'
import { type Field, firstOf, textOf } from '#lib/intake/texts.ts'
import { deviceIn, isSip } from './asterisk.ts'

type Tells = LiveEvent['tells']

/** FreeSWITCH's events for what happens to a channel (switch_event.c). */
const FREESWITCH: Readonly<Record<string, Tells>> = {
  CHANNEL_CREATE: 'started',
  CHANNEL_ANSWER: 'answered',
  CHANNEL_HANGUP_COMPLETE: 'ended',
}

/**
 * Events of calls in progress as JSON, one object each: those of FreeSWITCH's mod_event_socket (`event json`), and those of
 * Asterisk's manager with their headers as names. Events of the legs that a switch dials itself make no record.
 */
export const live: ReadFormat = (document, { zone }) => {
  const clock = clockOf(zone)

  return readObjects(document, (object) => {
    const field: Field = (name) => textOf(object[name])
    const event = eventOf(object, field)
    return event && { kind: 'event', event: { ...event, at: clock(momentOf(field)) } }
  })
}

/** Microseconds of Unix time, and those of a manager with `timestampevents`. */
const momentOf = (field: Field): string => firstOf(field, 'Event-Date-Timestamp', 'Timestamp')

type Timeless = Omit<LiveEvent, 'at'>

function eventOf(object: JsonObject, field: Field): Timeless | undefined {
  if (object['Event-Name'] !== undefined) return freeswitchEvent(field)
  if (object['Event'] !== undefined) return asteriskEvent(field)
  throw new DocumentRefused('not of its format', 'it is not an event of FreeSWITCH or of Asterisk')
}

function freeswitchEvent(field: Field): Timeless | undefined {
  const tells = FREESWITCH[field('Event-Name')]
  if (tells === undefined || field('Call-Direction') !== 'inbound') return undefined
  const user = firstOf(field, 'variable_sip_auth_username', 'variable_user_name')
  const dst = field('Caller-Destination-Number')
  return {
    tells,
    uniqueid: identified(field('Unique-ID')),
    src: field('Caller-Caller-ID-Number'),
    dst,
    channel: firstOf(field, 'Channel-Name', 'Caller-Channel-Name'),
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
  const tells = whatAsteriskTells(field)
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

function whatAsteriskTells(field: Field): Tells | undefined {
  const event = field('Event')
  if (event === 'Newchannel') return 'started'
  if (event === 'Hangup') return 'ended'
  return event === 'Newstate' && field('ChannelState') === UP ? 'answered' : undefined
}

function identified(uniqueid: string): string {
  if (uniqueid !== '') return uniqueid
  throw new DocumentRefused('not of its format', 'it does not say of which call it is')
}
