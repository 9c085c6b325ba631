import { BlockList, isIP } from 'node:net'

/** An address such as `192.0.2.1` or a range such as `192.0.2.0/24`, of IPv4 or IPv6. */
interface Range {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

const MOST_BITS = { ipv4: 32, ipv6: 128 } as const

/** Whether a setting lists only IP addresses and CIDR ranges. A blank setting is an empty list. */
export const isAddressList = (list: string): boolean =>
  entriesOf(list).every((entry) => rangeOf(entry) !== undefined)

/** Whether an IP address is on the list (wire.md user_login); false for any other text. */
export function isListed(list: string, address: string): boolean {
  const family = familyOf(address)
  if (!family) return false
  const ranges = new BlockList()
  for (const range of entriesOf(list).flatMap((entry) => rangeOf(entry) ?? [])) {
    ranges.addSubnet(range.address, range.bits, range.family)
  }
  return ranges.check(address, family)
}

const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

function rangeOf(entry: string): Range | undefined {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const family = familyOf(address)
  if (!family) return undefined
  const range = { address, bits: Number(bits ?? MOST_BITS[family]), family }
  return range.bits <= MOST_BITS[family] ? range : undefined
}

const FAMILIES: Readonly<Partial<Record<number, Range['family']>>> = { 4: 'ipv4', 6: 'ipv6' }

/** A link-local address with a zone (`fe80::1%eth0`) has no family: it has a meaning on its link only. */
const familyOf = (address: string): Range['family'] | undefined =>
  address.includes('%') ? undefined : FAMILIES[isIP(address)]
