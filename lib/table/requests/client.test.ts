import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { faultyEndpoint, type TableRequest } from '#test/faults/faulty-endpoint.ts'
import { aServer } from '#test/server.ts'
import { createTable } from '#tools/server/engine.ts'
import { functionConfig } from './aws-config.ts'
import { createClient } from './client.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

async function aTable(): Promise<string> {
  const tableName = `client-${randomUUID()}`
  await createTable(createClient({ tableName, endpoint: inject('endpoint') }), tableName)
  return tableName
}

const MINUTE = 60_000

/** DynamoDB accepts a signature for five minutes. */
const LONGEST = 5 * MINUTE

const signedAt = ({ headers }: TableRequest): number =>
  Date.parse(String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))

test.each([10, -10])(
  'a clock that is %i minutes wrong is corrected, once for all requests',
  async (minutes) => {
    const tableName = await aTable()
    const ahead = minutes * MINUTE
    const refuseLate = (request: TableRequest) =>
      Math.abs(signedAt(request) - ahead - Date.now()) < LONGEST
        ? undefined
        : { refusal: 'InvalidSignatureException' }
    const { origin, arrived } = await faultyEndpoint(refuseLate, ahead)
    const client = createClient({ tableName, endpoint: origin })

    for (const SK of ['a', 'b', 'c']) {
      await client.send(new PutCommand({ TableName: tableName, Item: { PK: 'items', SK } }))
    }

    expect(arrived).toHaveLength(1 + 3)
  },
)

test("engines other than AWS's get the form of a signature, without computing one", async () => {
  const { origin, arrived } = await faultyEndpoint(() => undefined)
  const client = createClient({ tableName: 'any', endpoint: origin })

  await client.send(new PutCommand({ TableName: await aTable(), Item: { PK: 'items', SK: 'a' } }))

  expect(arrived.map(({ headers }) => headers['authorization'])).toEqual([
    expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/local\/dynamodb\/aws4_request, .*Signature=0{64}$/,
    ),
  ])
})

interface Arrived {
  readonly hostname: string
  readonly headers: Readonly<Record<string, string>>
}

test.each([
  ['takes nothing from files', {}, 'dynamodb.eu-central-1.amazonaws.com'],
  ['takes the endpoint of its environment', { AWS_ENDPOINT_URL_DYNAMODB: 'http://other' }, 'other'],
])('a Lambda %s', async (_case, environment, expected) => {
  const file = `${await mkdtemp(join(tmpdir(), 'tollgate-'))}/config`
  await writeFile(file, '[default]\nendpoint_url = http://named-in-a-file\nsdk_ua_app_id = named-in-a-file\n')
  const ofLambda = { AWS_LAMBDA_FUNCTION_NAME: 'any', AWS_REGION: 'eu-central-1', ...environment }
  for (const [name, value] of Object.entries({ ...ofLambda, AWS_CONFIG_FILE: file })) vi.stubEnv(name, value)
  const asked: string[] = []
  const handle = async ({ hostname, headers }: Arrived) => {
    expect(headers['user-agent']).not.toContain('named-in-a-file')
    asked.push(hostname)
    throw new Error('not sent')
  }
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' }
  const config = { ...functionConfig(ofLambda), credentials, requestHandler: { handle } }
  const client = createClient({ tableName: 'any' }, { ...config, maxAttempts: 1 })

  await expect(client.send(new PutCommand({ TableName: 'any', Item: {} }))).rejects.toThrow('not sent')
  expect(asked).toEqual([expected])
})

/** A source of credentials that are renewed: each has the number of its issue. */
async function renewedCredentials() {
  const { origin, arrived } = await aServer((_request, response) => {
    const issue = arrived.length
    const Expiration = new Date(Date.now() + 60 * MINUTE).toISOString()
    const credentials = {
      AccessKeyId: `issue-${issue}`,
      SecretAccessKey: 'secret',
      Token: 'token',
      Expiration,
    }
    response.end(JSON.stringify(credentials))
  })
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, '')
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere')
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', origin)
}

test.each([
  ['is asked for others once', 1, ['issue-1', 'issue-2', 'issue-2']],
  ['fails when the others have expired as well', 2, ['issue-1', 'issue-2']],
])('a program whose credentials have expired %s', async (_case, expired, signedWith) => {
  await renewedCredentials()
  const tableName = await aTable()
  const issueOf = ({ headers }: { headers: TableRequest['headers'] }) =>
    /Credential=(issue-\d)/.exec(String(headers.authorization))?.[1] ?? ''
  const { origin, arrived } = await faultyEndpoint((request) =>
    Number(issueOf(request).slice(-1)) <= expired ? { refusal: 'ExpiredTokenException' } : undefined,
  )
  const client = createClient({ tableName }, { region: 'local', endpoint: origin })
  const put = (SK: string) =>
    client.send(new PutCommand({ TableName: tableName, Item: { PK: 'items', SK, list: ['a', { b: 1 }] } }))

  const done = put('a').then(() => put('b'))

  if (expired === 1) await done
  else await expect(done).rejects.toThrow(expect.objectContaining({ name: 'ExpiredTokenException' }))
  expect(arrived.map(issueOf)).toEqual(signedWith)
})
