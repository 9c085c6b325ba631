import { isIP, isIPv6, SocketAddress } from 'node:net'

/** A longer name could not be a key of the table, and identifies no customer. In characters. */
const MAX_LOOKUP_NAME_LENGTH = 150

/** The kind of a switch's account codes: usernames alone, or ids alone. */
export const ACCOUNT_CODES = ['names', 'ids'] as const

export type AccountCodes = (typeof ACCOUNT_CODES)[number]

export const isLookupName = (text: string): boolean => text !== '' && text.length <= MAX_LOOKUP_NAME_LENGTH

/**
 * The form in which addresses are compared (RFC 5952): `2001:db8::1` for `[2001:0DB8:0:0:0:0:0:1]`, and
 * `192.0.2.1` for `::ffff:192.0.2.1`. A zone (`fe80::1%eth0`) has a meaning on its link only, and stays. A
 * host name loses the dot of the root.
 */
export function normalizeAddress(text: string): string {
  const address = bareAddress(text).replace(/(?<=.)\.$/, '')
  if (!isIPv6(address) || address.includes('%')) return address
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=.*\.)/, '')
}

const bareAddress = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')

/** The keys of an address: its normal form, and its spelling, the only key before table format 4. */
export const addressKeys = (text: string): string[] => [
  ...new Set([normalizeAddress(text), bareAddress(text)]),
]

export const isIpAddress = (text: string): boolean => isIP(text) !== 0

/**
 * The prefixes of a channel name that end at `/` or `-`, the longest first. The switch appends an id of its
 * own to the name. Longer prefixes are not lookup names, so the rest of the channel is not read.
 */
export function channelPrefixes(channel: string): string[] {
  const head = channel.slice(0, MAX_LOOKUP_NAME_LENGTH + 1)
  const prefixes: string[] = []
  for (let end = lastSeparator(head, head.length); end > 0; end = lastSeparator(head, end)) {
    prefixes.push(head.slice(0, end).toLowerCase())
  }
  return prefixes.slice(-MAX_CHANNEL_PREFIXES).filter(isLookupName)
}

const MAX_CHANNEL_PREFIXES = 6

const lastSeparator = (text: string, before: number): number =>
  Math.max(text.lastIndexOf('/', before - 1), text.lastIndexOf('-', before - 1))

/** The fields of a CDR that can identify its account, in the default order of account resolution. */
export const CALL_OWNER_HINTS = ['account_code', 'device', 'sip_user', 'did', 'ip'] as const

export type CallOwnerHint = (typeof CALL_OWNER_HINTS)[number]

const isHint = (word: string): word is CallOwnerHint => CALL_OWNER_HINTS.some((hint) => hint === word)

/** Parses the setting Call_Owner_Order; `undefined` unless it names known hints, each at most once. */
export function parseCallOwnerOrder(setting: string): CallOwnerHint[] | undefined {
  const words = setting.split(',').map((word) => word.trim())
  return words.every(isHint) && new Set(words).size === words.length ? words : undefined
}
