import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { textToSign } from '#lib/api/v2-text.ts'
import { readCallLine } from './call-line.ts'
import { diagnose } from './diagnosis.ts'

const METHOD = {
  name: 'devices_get',
  area: 'devices',
  summary: '',
  callers: { allowed: [], anonymous: '' },
  hashOrders: [],
  parameters: [],
  example: {},
}

const CALL = { called: 'devices_get', sent: { u: 'admin', user_id: '1 0', hash: 'abc' } }

test.each([
  `curl -d 'u=admin&user_id=1+0&hash=abc' http://localhost:3000/api/devices_get`,
  `$ curl --data-urlencode u=admin --data-urlencode "user_id=1 0" -d hash=abc https://x.example/dev/api/devices_get`,
  `curl -F u=admin -F 'user_id=1 0' -F hash=abc \\\n  http://localhost/api/devices_get`,
  `curl -sSd 'u=admin&user_id=1%200' -dhash=abc -XPOST --url http://localhost/api/devices_get -o /api/answers_get`,
  `curl -sG --data=u=admin --get -d 'user_id=1 0' 'http://localhost/api/devices_get?hash=abc'`,
  `curl --json '{"u":"admin","user_id":"1 0",' --json '"hash":"abc"}' http://localhost/api/devices_get`,
  `curl --data '{"u":"admin","user_id":"1 0","hash":"abc"}' http://localhost/api/devices_get`,
  '192.0.2.1 - - [18/Nov/2026] "GET /api/devices_get?u=admin&user_id=1%200&hash=abc HTTP/1.1" 200 97',
  'https://x.example/api/devices_get?u=admin&user_id=1+0&hash=abc',
  `devices_get u=admin 'user_id=1 0' hash=abc`,
])('reads %s', (line) => {
  expect(readCallLine(line)).toEqual(CALL)
})

test.each([
  ['hello?', 'No API call recognised'],
  ['hello world', 'No API call recognised'],
  ['curl -d hash=abc http://localhost/', 'names no URL'],
  ['devices_get user_id=10', 'no hash'],
  ['curl -d @call.txt http://localhost/api/devices_get', 'The file @call.txt is not read'],
])('says what %s lacks', (line, says) => {
  expect(() => readCallLine(line)).toThrow(says)
})

const SIGNED = { timestamp: '1790812800', nonce: 'nonce-of-16-characters' }

const lineWith = (signature: string) =>
  `curl -d 'u=admin&user_id=10' -H 'Tollgate-Timestamp: ${SIGNED.timestamp}' --header "tollgate-nonce: ${SIGNED.nonce}" -H 'Tollgate-Signature: ${signature}' 'http://localhost/billing/api/devices_get?test=1'`

test('reads the v2 signature of a curl line, and what it signs', () => {
  expect(readCallLine(lineWith('abc'))).toEqual({
    called: 'devices_get',
    sent: { test: '1', u: 'admin', user_id: '10' },
    v2: {
      signature: 'abc',
      request: {
        ...SIGNED,
        verb: 'POST',
        path: '/billing/api/devices_get',
        query: [['test', '1']],
        mediaType: 'application/x-www-form-urlencoded',
        bodyDigest: createHash('sha256').update('u=admin&user_id=10').digest('hex'),
      },
    },
  })
})

test('a v2 signature is explained with the text to sign', async () => {
  const { v2 } = readCallLine(lineWith('abc'))
  if (!v2) throw new Error('no v2 signature')
  const text = textToSign(v2.request)
  const signature = createHmac('sha256', 'the-old-key').update(`${text}\n`).digest('hex')
  const [catalogue, keys] = [[{ ...METHOD }], { key: 'the-key', oldKey: 'the-old-key', uniquehash: '' }]

  expect(await diagnose(catalogue, readCallLine(lineWith(signature)), keys)).toEqual({
    isAccepted: false,
    says: 'The signature was made over a text that ends with a line feed.',
    advice: ['No line feed follows the digest of the body.'],
    parts: { 'The text to sign': text },
  })
})
