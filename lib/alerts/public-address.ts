import type { LookupAddress } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/*
 * Where a webhook may go. Its URL comes from outside and must not turn the sender against its own network.
 * The ranges are IANA's registries of special-purpose addresses, and the rules those of stripe/smokescreen
 * (pkg/smokescreen/ip_policy.go) and svix (webhook_http_client.rs): global unicast, no embedded IPv4.
 */

const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Carrier-grade NAT.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, with the metadata of AWS at 169.254.169.254.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // 6to4 relays.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
] as const

/** IANA's one global range. Loopback, mapped, NAT64, unique local and link-local addresses are outside. */
const GLOBAL_IPV6 = ['2000::', 3] as const

const PRIVATE_IPV6 = [
  // Teredo, benchmarks, ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4.
  ['2002::', 16],
  ['3fff::', 20],
] as const

const listOf = (ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6') => {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family)
  return list
}

const privateIpv4 = listOf(PRIVATE_IPV4, 'ipv4')
const privateIpv6 = listOf(PRIVATE_IPV6, 'ipv6')
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6')

export const isPublicAddress = (address: string): boolean =>
  isIP(address) === 4
    ? !privateIpv4.check(address)
    : isIP(address) === 6 && globalIpv6.check(address, 'ipv6') && !privateIpv6.check(address, 'ipv6')

const MAX_URL_LENGTH = 1000

/** The reason why no endpoint can have a URL. `isTest` lets one on this machine through. */
export function urlRefusal(text: string, isTest: boolean): string | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text)
  if (!url)
    return `takes an address such as https://example.com/hook, of at most ${MAX_URL_LENGTH} characters`
  if (url.username + url.password + url.hash !== '') return 'takes no user, password or #fragment'
  return isTest && isOnThisMachine(url) ? undefined : publicUrlRefusal(url)
}

function publicUrlRefusal(url: URL): string | undefined {
  if (url.protocol !== 'https:' || url.port !== '') return 'takes https, on port 443'
  const host = hostOf(url)
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : `is refused: ${host} is not a public address`
}

/** `URL` writes every form of IPv4, such as 0x7f.1, in four decimal numbers, and IPv6 in brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

export const isOnThisMachine = (url: URL): boolean =>
  url.protocol === 'http:' && ['localhost', '127.0.0.1', '::1'].includes(hostOf(url))

/**
 * The address to connect to, from what a name was resolved to; `undefined` if one of them is not public: a
 * name with both is an attack, or a mistake. A Lambda outside of a VPC reaches IPv4 only.
 */
export const addressToUse = (found: readonly LookupAddress[]): LookupAddress | undefined =>
  found.every(({ address }) => isPublicAddress(address))
    ? (found.find(({ family }) => family === 4) ?? found[0])
    : undefined
