import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { hexDigest } from '#lib/base/digest.ts'
import { signatureV2 } from '../signature-v2.ts'
import { explainV2 } from './explain-v2.ts'

const SECRET = '00112233445566778899aabbccddeeff0011223344556677'

const now = new Date('2026-03-10T12:00:00Z')

const request = {
  verb: 'POST',
  path: '/dev/api/devices_get',
  query: [['user_id', '10']] as const,
  mediaType: 'text/form; charset=utf-8',
  timestamp: '1773144000',
  nonce: 'a-nonce-of-a-test-1',
  bodyDigest: hexDigest('u=bob'),
}

const { path, mediaType, timestamp, nonce } = request
const lines = ['tollgate-v2.1', 'POST', path, 'user_id=10', mediaType, timestamp, nonce]
const text = [...lines, request.bodyDigest].join('\n')

const hmac = (signed: string, secret: string | Buffer = SECRET) =>
  createHmac('sha256', secret).update(signed).digest('hex')

const explain = (signature: string, changes: Partial<typeof request> = {}) =>
  explainV2({ request: { ...request, ...changes }, signature }, ['another', SECRET], now)

test.each([
  ['right', hmac(text), 'v2 right'],
  ['upper case', hmac(text).toUpperCase(), 'v2 right'],
  ['base64', Buffer.from(hmac(text), 'hex').toString('base64'), 'v2 base64'],
  ['the path without its stage', hmac(text.replace('/dev', '')), 'v2 path_from_api'],
  ['the name of the method', hmac(text.replace(request.path, 'devices_get')), 'v2 method_name'],
  ['the verb in lower case', hmac(text.replace('POST', 'post')), 'v2 verb_in_lower_case'],
  ['no query', hmac(text.replace('user_id=10', '')), 'v2 no_query'],
  ['no media type', hmac(text.replace(mediaType, '')), 'v2 no_media_type'],
  ['the media type alone', hmac(text.replace('; charset=utf-8', '')), 'v2 media_type_alone'],
  ['the earlier version', hmac(text.replace(`.1`, '').replace(`${mediaType}\n`, '')), 'v2 earlier_version'],
  ['an empty body', hmac(text.replace(request.bodyDigest, hexDigest(''))), 'v2 no_body'],
  ['no digest', hmac(text.replace(request.bodyDigest, '')), 'v2 body_not_digested'],
  ['milliseconds', hmac(text.replace(request.timestamp, `${request.timestamp}000`)), 'v2 milliseconds'],
  ['a line feed', hmac(`${text}\n`), 'v2 line_feed'],
  ['no version', hmac(text.replace('tollgate-v2.1\n', '')), 'v2 without_version'],
  ['bytes of the secret', hmac(text, Buffer.from(SECRET, 'hex')), 'v2 secret_as_bytes'],
  [
    'no HMAC',
    createHash('sha256')
      .update(text + SECRET)
      .digest('hex'),
    'v2 no_hmac',
  ],
  ['another key', hmac(text, 'a third key'), 'v2 unknown'],
  ['a word', 'secret', 'v2 unknown'],
])('%s', (_way, signature, code) => {
  const { says, advice, code: found } = explain(signature)

  expect(found).toBe(code)
  expect([says, ...advice].join(' ')).not.toContain(SECRET)
})

test('a right signature of another time is told by how much', () => {
  const changes = { timestamp: '1773143699' }

  expect(explain(signatureV2({ ...request, ...changes }, SECRET), changes)).toEqual({
    code: 'v2 out_of_time',
    says: 'The v2 signature is right, but its timestamp is 301 seconds ago.',
    advice: ['It is valid for 300 seconds: set the clock of the client.'],
  })
})

test.each([{ timestamp: '2026-03-10' }, { timestamp: '1773144000000' }, { nonce: 'short' }, { nonce: '' }])(
  '%j is malformed',
  (changes) => {
    expect(explain(signatureV2({ ...request, ...changes }, SECRET), changes).code).toBe('v2 malformed')
  },
)
