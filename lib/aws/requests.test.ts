import { createHash, createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Arrived, aServer } from '#lib/testing/server.ts'
import { domainOf, runtimeAccount } from './account.ts'
import { openRequests, pathOf } from './requests.ts'

const account = runtimeAccount({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
})

/** SHA-256 in the shape in which AWS's signer asks for it. */
class Sha256 {
  readonly #hash
  constructor(secret?: unknown) {
    this.#hash = secret ? createHmac('sha256', secret as Buffer) : createHash('sha256')
  }
  update(data: unknown): void {
    this.#hash.update(data as Buffer)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

/** The signature that AWS's own signer gives to a request as it arrived. */
async function signatureByAws(service: string, { method, path, headers, body }: Arrived): Promise<unknown> {
  const names = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
  const signer = new SignatureV4({
    service,
    region: account.region,
    credentials: await account.credentials(),
    sha256: Sha256 as never,
    uriEscapePath: service !== 's3',
    applyChecksum: service === 's3',
  })
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  const date = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z')
  const request = { method, path, body, headers: signed, protocol: 'http:', hostname: '127.0.0.1', query: {} }
  return (await signer.sign(request, { signingDate: new Date(date) })).headers['authorization']
}

test('a request carries the signature that AWS computes', async () => {
  const server = await aServer((_request, response) => response.end('answer'))
  const requests = openRequests({ name: 'dynamodb', endpoint: server.origin, account })

  const headers = { 'X-Amz-Target': 'DynamoDB_20120810.Query', 'Content-Type': 'application/x-amz-json-1.0' }
  const answer = await requests.send({ method: 'POST', path: '/', headers, body: '{"Ž":"1"}' })

  expect(answer.statusCode).toBe(200)
  expect(await text(answer)).toBe('answer')
  const [arrived] = server.arrived
  expect(arrived).toMatchObject({ body: '{"Ž":"1"}', headers: { 'x-amz-security-token': 'token' } })
  expect(arrived?.headers.authorization).toBe(await signatureByAws('dynamodb', arrived as Arrived))
})

test('whatever the name of an object, its path is signed as AWS reads it', async () => {
  const server = await aServer((_request, response) => response.end())
  const requests = openRequests({ name: 's3', endpoint: server.origin, account })
  const name = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .filter((text) => !/^\.+$|\//.test(text))

  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 3 }), async (names) => {
      const headers = { Range: 'bytes=0-9', 'If-Match': '"etag"' }
      ;(await requests.send({ method: 'GET', path: pathOf(...names), headers })).resume()
      const arrived = server.arrived.at(-1) as Arrived
      expect(arrived.headers.authorization).toBe(await signatureByAws('s3', arrived))
    }),
    { numRuns: 200 },
  )
})

test('connections are used again', async () => {
  const server = await aServer((_request, response) => response.end())
  const requests = openRequests({ name: 'sqs', endpoint: server.origin, account })

  for (let n = 0; n < 5; n += 1) await text(await requests.send({ method: 'POST', path: '/', body: '{}' }))

  expect(server.connections()).toBe(1)
})

test('who gets no answer is told so, and does not wait for ever', async () => {
  const server = await aServer(() => {})
  const requests = openRequests({ name: 'sqs', endpoint: server.origin, account, longestSilence: 50 })

  await expect(requests.send({ method: 'POST', path: '/' })).rejects.toMatchObject({ code: 'ETIMEDOUT' })
})

test('some partitions have a domain of their own', () => {
  expect(['eu-central-1', 'us-gov-west-1', 'cn-north-1', 'eusc-de-east-1'].map(domainOf)).toEqual([
    'eu-central-1.amazonaws.com',
    'us-gov-west-1.amazonaws.com',
    'cn-north-1.amazonaws.com.cn',
    'eusc-de-east-1.amazonaws.eu',
  ])
})
