import { expect, test } from 'vitest'
import { channelPrefixes, isIpAddress, normalizeAddress } from './switch-names.ts'

test.each([
  ['PJSIP/potomac-0000c000', ['pjsip/potomac', 'pjsip']],
  ['PJSIP/nw-clinic-trunk-0000b004', ['pjsip/nw-clinic-trunk', 'pjsip/nw-clinic', 'pjsip/nw', 'pjsip']],
  ['sofia/external/12025550171@192.0.2.200', ['sofia/external', 'sofia']],
  ['DAHDI/i1/12025550171-4', ['dahdi/i1/12025550171', 'dahdi/i1', 'dahdi']],
  ['/x', []],
  ['', []],
  [`${'a/'.repeat(90)}b`, ['a/a/a/a/a/a', 'a/a/a/a/a', 'a/a/a/a', 'a/a/a', 'a/a', 'a']],
])('the prefixes of the channel %j', (channel, prefixes) => {
  expect(channelPrefixes(channel)).toEqual(prefixes)
})

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  [' [2001:DB8::1]', '2001:db8::1', true],
  ['GW.Example.Net', 'gw.example.net', false],
  ['dynamic', 'dynamic', false],
  ['', '', false],
])('the normalized address of %j', (text, address, isIp) => {
  expect([normalizeAddress(text), isIpAddress(normalizeAddress(text))]).toEqual([address, isIp])
})
