import { expect, test } from 'vitest'
import {
  channelPrefixes,
  isIpAddress,
  isLookupName,
  normalizeAddress,
  parseCallOwnerOrder,
} from './switch-names.ts'

test.each([
  ['PJSIP/potomac-0000c000', ['pjsip/potomac', 'pjsip']],
  ['PJSIP/nw-clinic-trunk-0000b004', ['pjsip/nw-clinic-trunk', 'pjsip/nw-clinic', 'pjsip/nw', 'pjsip']],
  ['sofia/external/12025550171@192.0.2.200', ['sofia/external', 'sofia']],
  ['DAHDI/i1/12025550171-4', ['dahdi/i1/12025550171', 'dahdi/i1', 'dahdi']],
  ['/x', []],
  ['', []],
  [`${'x'.repeat(150)}/b`, ['x'.repeat(150)]],
  [`${'x'.repeat(149)}-/b`, [`${'x'.repeat(149)}-`, 'x'.repeat(149)]],
  [`${'a/'.repeat(90)}b`, ['a/a/a/a/a/a', 'a/a/a/a/a', 'a/a/a/a', 'a/a/a', 'a/a', 'a']],
])('the prefixes of the channel %j', (channel, prefixes) => {
  expect(channelPrefixes(channel)).toEqual(prefixes)
})

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  [' [2001:DB8::1]', '2001:db8::1', true],
  ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1', true],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3', true],
  ['::FFFF:c000:201', '192.0.2.1', true],
  ['[0:0:0:0:0:ffff:192.0.2.1]', '192.0.2.1', true],
  ['::192.0.2.1', '::192.0.2.1', true],
  ['FE80::1%eth0', 'fe80::1%eth0', true],
  ['192.0.2.0/24', '192.0.2.0/24', false],
  ['GW.Example.Net', 'gw.example.net', false],
  ['GW.Example.Net.', 'gw.example.net', false],
  ['gw..', 'gw.', false],
  ['.', '.', false],
  ['dynamic', 'dynamic', false],
  ['', '', false],
  ['[a', '[a', false],
  ['a]', 'a]', false],
  ['x[a]', 'x[a]', false],
  ['[a]x', '[a]x', false],
])('the normalized address of %j', (text, address, isIp) => {
  expect([normalizeAddress(text), isIpAddress(normalizeAddress(text))]).toEqual([address, isIp])
})

test('a name that is looked up has 1 to 150 characters', () => {
  expect(['', 'a', 'x'.repeat(150), 'x'.repeat(151)].map(isLookupName)).toEqual([false, true, true, false])
  expect(channelPrefixes(`${'x'.repeat(151)}/b`)).toEqual([])
})

test.each([
  ['did', ['did']],
  [' ip , device ', ['ip', 'device']],
  ['ip,ip', undefined],
  ['ip,caller', undefined],
  ['', undefined],
])('the order %j', (setting, hints) => {
  expect(parseCallOwnerOrder(setting)).toEqual(hints)
})
