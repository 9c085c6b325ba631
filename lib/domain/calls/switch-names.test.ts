import { expect, test } from 'vitest'
import { addressOf, channelBeginnings, isIpAddress } from './switch-names.ts'

test.each([
  ['PJSIP/potomac-0000c000', ['pjsip/potomac', 'pjsip']],
  ['PJSIP/nw-clinic-trunk-0000b004', ['pjsip/nw-clinic-trunk', 'pjsip/nw-clinic', 'pjsip/nw', 'pjsip']],
  ['sofia/external/12025550171@192.0.2.200', ['sofia/external', 'sofia']],
  ['DAHDI/i1/12025550171-4', ['dahdi/i1/12025550171', 'dahdi/i1', 'dahdi']],
  ['/x', []],
  ['', []],
  [`${'a/'.repeat(90)}b`, ['a/a/a/a/a/a', 'a/a/a/a/a', 'a/a/a/a', 'a/a/a', 'a/a', 'a']],
])('the beginnings of the channel %j', (channel, beginnings) => {
  expect(channelBeginnings(channel)).toEqual(beginnings)
})

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  [' [2001:DB8::1]', '2001:db8::1', true],
  ['GW.Example.Net', 'gw.example.net', false],
  ['dynamic', 'dynamic', false],
  ['', '', false],
])('the address %j', (text, address, isIp) => {
  expect([addressOf(text), isIpAddress(addressOf(text))]).toEqual([address, isIp])
})
