import { expect, test } from 'vitest'
import { isAddressList, isListed } from './trusted-addresses.ts'

test.each([
  ['an address', '192.0.2.1', '192.0.2.1', true],
  ['its neighbour', '192.0.2.1', '192.0.2.2', false],
  ['the last address of a range', '198.51.100.0/24, 192.0.2.0/28', '192.0.2.15', true],
  ['the first address after a range', '192.0.2.0/28', '192.0.2.16', false],
  ['IPv6', '2001:db8::/32', '2001:db8:1::5', true],
  ['an address written another way', '2001:db8::1', '2001:0db8:0:0::0001', true],
  ['IPv4 as IPv6 writes it', '192.0.2.0/24', '::ffff:192.0.2.9', true],
  ['the range of all addresses', '0.0.0.0/0', '203.0.113.9', true],
  ['beside an entry that is not an address', 'x, 192.0.2.1', '192.0.2.1', true],
  ['an empty list', '', '192.0.2.1', false],
  ['a link-local address with a zone', '::/0', 'fe80::1%eth0', false],
  ['text that is not an address', '0.0.0.0/0', '', false],
])('membership of the list: %s', (_case, list, address, listed) => {
  expect(isListed(list, address)).toBe(listed)
})

test.each([
  ['', true],
  [' 192.0.2.1 ,2001:db8::/64,', true],
  ['192.0.2.1/33', false],
  ['2001:db8::/129', false],
  ['192.0.2.0/24/8', false],
  ['192.0.2.0/', false],
  ['1/192.0.2.0/24', false],
  ['192.0.2.256', false],
  ['portal.example.com', false],
  ['fe80::1%eth0/64', false],
])('%j is a valid list: %s', (list, fits) => {
  expect(isAddressList(list)).toBe(fits)
})
