import { expect, test } from 'vitest'
import { addressToUse, isPublicAddress, urlRefusal } from './public-address.ts'

const PRIVATE = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.169.254 169.254.100.1 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255
  198.51.100.1 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8
  64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:db8::1 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254
  fe80::1 fe80::1%eth0 fec0::1 ff02::1`

const PUBLIC =
  '1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 198.17.0.1 223.255.255.255 2606:4700::1111 2a00:1450::1'

test('only global unicast addresses are public', () => {
  const all = [...PRIVATE.split(/\s+/), ...PUBLIC.split(' '), '', 'localhost', '0x7f000001', '1.1.1']

  expect(all.filter(isPublicAddress)).toEqual(PUBLIC.split(' '))
})

test.each([
  'https://example.com/hook?x=1',
  'https://8.8.8.8/',
  'https://EXAMPLE.com:443/',
  'https://[2606:4700::1111]/',
])('%s can be an endpoint', (url) => {
  expect(urlRefusal(url, false)).toBeUndefined()
})

test.each([
  ['http://example.com/', 'https, on port 443'],
  ['https://example.com:8443/', 'https, on port 443'],
  ['ftp://example.com/', 'https, on port 443'],
  ['javascript:alert(1)', 'https, on port 443'],
  ['https://user@example.com/', 'no user'],
  ['https://:secret@example.com/', 'no user'],
  ['https://example.com/#a', 'no user'],
  ['example.com', 'takes an address'],
  ['', 'takes an address'],
  [`https://example.com/${'a'.repeat(1000)}`, 'takes an address'],
  ['https://169.254.169.254/latest/meta-data/', 'not a public address'],
  ['https://2130706433/', 'is refused: 127.0.0.1 is not a public address'],
  ['https://0x7f.1/', 'is refused: 127.0.0.1 is not a public address'],
  ['https://0177.0.0.1/', 'is refused: 127.0.0.1 is not a public address'],
  ['https://127.1/', 'is refused: 127.0.0.1 is not a public address'],
  ['https://①②⑦.0.0.1/', 'is refused: 127.0.0.1 is not a public address'],
  ['https://[::1]/', 'is refused: ::1 is not a public address'],
  ['https://[::ffff:127.0.0.1]/', 'not a public address'],
  ['http://127.0.0.1:9000/', 'https, on port 443'],
])('%s is refused', (url, reason) => {
  expect(urlRefusal(url, false)).toContain(reason)
})

test('a setting for tests lets plain HTTP to this machine through, and nothing else', () => {
  const urls = [
    'http://127.0.0.1:9000/',
    'http://localhost/',
    'http://[::1]:1/',
    'http://10.0.0.1/',
    'http://localhost.example.com/',
  ]

  expect(urls.filter((url) => urlRefusal(url, true) === undefined)).toEqual(urls.slice(0, 3))
})

test('a name with a private address is refused, and IPv4 comes first', () => {
  const four = { address: '8.8.8.8', family: 4 }
  const six = { address: '2606:4700::1111', family: 6 }
  const inside = { address: '10.0.0.1', family: 4 }

  expect(addressToUse([six, four])).toBe(four)
  expect(addressToUse([six])).toBe(six)
  expect(addressToUse([four, inside])).toBeUndefined()
  expect(addressToUse([])).toBeUndefined()
})
