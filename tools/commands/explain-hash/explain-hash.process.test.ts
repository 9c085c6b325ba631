import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { program, root } from '../../machine/program.ts'

const KEY = 'the-key-of-these-tests'

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

const explain = (words: readonly string[], input = '') =>
  spawnSync(process.execPath, [program, 'explain-hash', ...words], {
    cwd: root,
    encoding: 'utf8',
    input,
    env: { ...process.env, TOLLGATE_KEY: KEY },
  })

test('a call is explained, and the key is not printed', () => {
  const { stdout, status } = explain(['devices_get', 'u=admin', 'user_id=7', '--hash', sha1(`admin7${KEY}`)])

  expect({ stdout, status }).toEqual({
    status: 0,
    stdout: [
      'devices_get: The hash was made of u + user_id + key.',
      '  u is not signed.',
      '  Sign user_id + key.',
      '  The string to hash: 7<key>\n',
    ].join('\n'),
  })
})

test.each([
  ['2026-10-01', 'an ISO date; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)'],
  ['1790812800000', 'milliseconds; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)'],
])('a value that is not a timestamp is named, although it is signed well: %s', (s_from, why) => {
  const { stdout } = explain(['payments_get', 'u=admin', `s_from=${s_from}`, '--hash', sha1(s_from + KEY)])

  expect(stdout).toBe(
    [
      'payments_get: The hash is right: it was made of s_from + key, as documented.',
      `  payments_get does not read s_from=${s_from}: ${why}\n`,
    ].join('\n'),
  )
})

test('a constant, and a + without its escape, are named', () => {
  const constant = explain(['user_register', 'email=j@example.com', 'id=k1j2', '--hash', 'k1j2'])
  const line = `curl -d 'u=admin&name=a+b&device_id=7&cut=0&hash=${sha1(`7a+b0${KEY}`)}' http://localhost:3000/api/device_rule_create`

  expect(constant.stdout).toContain('The value of id was sent instead of a hash.')
  expect(explain([line]).stdout).toContain('Send a + as %2B')
})

test('a curl line is explained as it is typed, after the options of the command', () => {
  const sent = [
    '-s',
    '-d',
    `u=admin&user_id=7&hash=${sha1(`7${KEY}`)}`,
    'http://localhost:3000/api/devices_get',
  ]

  expect(explain(['--old-key', 'k', 'curl', ...sent]).stdout).toBe(
    'devices_get: The hash is right: it was made of user_id + key, as documented.\n',
  )
})

test('a curl line in quotes is explained, too', () => {
  const line = `curl -d 'u=admin&user_id=7&hash=${sha1(`7${KEY}`)}' http://localhost:3000/api/devices_get`

  expect(explain([line]).stdout).toBe(
    'devices_get: The hash is right: it was made of user_id + key, as documented.\n',
  )
})

test('curl lines and lines of an access log are read from standard input and explained one by one', () => {
  const right = sha1(`7${KEY}`)
  const { stdout } = explain(
    [],
    [
      `curl -s -X POST -H 'Accept: text/xml' \\`,
      `  --data-urlencode 'u=ad min' -d "user_id=7&hash=${right}" http://localhost:3000/api/devices_get`,
      `curl -G -d user_id=7 -d hash=${right} 'https://example.org/stage/api/devices_get?u=admin'`,
      `curl --json '{"user_id": 7, "hash": "${right}"}' localhost:3000/api/devices_get`,
      `curl -F user_id=7 -F hash=${right} localhost:3000/api/devices_get`,
      `192.0.2.7 - - [21/Nov/2026:10:00:00 +0000] "GET /api/devices_get?u=admin&user_id=7&hash=${right} HTTP/1.1" 200 88`,
      '192.0.2.7 - - [21/Nov/2026:10:00:00 +0000] "POST /api/devices_get HTTP/1.1" 200 88',
      'GET /favicon.ico',
    ].join('\n'),
  )

  const accepted = 'devices_get: The hash is right: it was made of user_id + key, as documented.'
  expect(stdout.split('\n')).toEqual([
    ...Array(5).fill(accepted),
    'A line has no hash: an access log holds the query string, not the body of a POST',
    'A line names no call: it has no path such as /api/devices_get?u=...',
    '',
  ])
})

test('a curl line with a v2 signature is explained with the text to sign', () => {
  const words = [
    'curl',
    ...['-H', 'Tollgate-Timestamp: 1773144000', '-H', 'Tollgate-Nonce: 0123456789abcdef'],
    ...['-H', 'tollgate-signature: 00', '-d', 'u=bob&user_id=10', 'http://localhost:3000/api/devices_get'],
  ]

  expect(explain(words).stdout).toMatch(
    /none of \d+ known ways[\s\S]*The text to sign:\n {4}tollgate-v2\.1\n {4}POST\n {4}\/api\/devices_get\n {4}\n {4}application\/x-www-form-urlencoded\n {4}1773144000\n {4}0123456789abcdef\n {4}c35b348a/,
  )
})
