import { isIP } from 'node:net'

/** In characters: what a switch says that is longer names nobody, and could not be a key. */
const LONGEST_NAME = 150

export const isName = (text: string): boolean => text !== '' && text.length <= LONGEST_NAME

/** An address as it is compared: `[2001:DB8::1]` is `2001:db8::1`. Not checked; a host name stays what it is. */
export const addressOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')

export const isIpAddress = (text: string): boolean => isIP(text) !== 0

/** The beginnings of a channel, which a switch ends with a number or an id of its own, the longest first. */
export function channelBeginnings(channel: string): string[] {
  const beginnings: string[] = []
  for (let end = lastSeparator(channel, channel.length); end > 0; end = lastSeparator(channel, end)) {
    beginnings.push(channel.slice(0, end).toLowerCase())
  }
  return beginnings.slice(-MOST_BEGINNINGS).filter(isName)
}

const MOST_BEGINNINGS = 6

const lastSeparator = (text: string, before: number): number =>
  Math.max(text.lastIndexOf('/', before - 1), text.lastIndexOf('-', before - 1))

/** What can tell whose call a switch reports, in the order in which it is asked unless the setting says another. */
export const CALL_OWNER_HINTS = ['account_code', 'device', 'sip_user', 'did', 'ip'] as const

export type CallOwnerHint = (typeof CALL_OWNER_HINTS)[number]

const isHint = (word: string): word is CallOwnerHint => (CALL_OWNER_HINTS as readonly string[]).includes(word)

/** The order in the setting Call_Owner_Order; `undefined` unless it names some of the hints, each once. */
export function callOwnerOrder(setting: string): CallOwnerHint[] | undefined {
  const words = setting.split(',').map((word) => word.trim())
  const isOrder = words.every(isHint) && new Set(words).size === words.length
  return isOrder ? words.filter(isHint) : undefined
}
