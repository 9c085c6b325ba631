import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { aServer } from '#lib/testing/server.ts'
import { runtimeAccount } from './account.ts'
import { jsonOperations } from './json-protocol.ts'
import { openRequests } from './requests.ts'

type Answer = (response: ServerResponse) => void

const account = runtimeAccount({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'k',
  AWS_SECRET_ACCESS_KEY: 's',
})

/** A service that gives these answers, the last one for good. */
async function aService(...answers: readonly Answer[]) {
  const server = await aServer((_request, response) => {
    const answer = answers[server.arrived.length - 1] ?? answers.at(-1)
    answer?.(response)
  })
  const requests = openRequests({ name: 'dynamodb', endpoint: server.origin, account })
  return { server, ask: jsonOperations(requests, 'DynamoDB_20120810') }
}

const answering =
  (status: number, body: string): Answer =>
  (response) => {
    response.statusCode = status
    response.end(body)
  }

const refusing = (name: string, status = 400) =>
  answering(status, `{"__type":"com.amazonaws.dynamodb.v20120810#${name}","message":"Why","More":[1]}`)

const found = answering(200, '{"Items":[{"a":{"S":"ž"}}]}')
const brokenOff: Answer = (response) => response.socket?.destroy()
const cutShort: Answer = (response) => {
  response.writeHead(200, { 'Content-Length': 100 })
  response.write('{"Items"')
  setTimeout(() => response.socket?.destroy(), 10)
}

test('an operation travels in a header, its input and answer as JSON', async () => {
  const { server, ask } = await aService(found)

  expect(await ask('Query', { TableName: 't', Limit: undefined })).toEqual({ Items: [{ a: { S: 'ž' } }] })
  expect(server.arrived).toMatchObject([
    {
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'DynamoDB_20120810.Query', 'content-type': 'application/x-amz-json-1.0' },
      body: '{"TableName":"t"}',
    },
  ])
})

test.each<[string, Answer]>([
  ['broken connections', brokenOff],
  ['answers cut short', cutShort],
  ['errors of the service', refusing('InternalServerError', 500)],
  ['pages of a gateway', answering(503, '<html>')],
  ['too many requests', answering(429, '')],
  ['too much load', refusing('ProvisionedThroughputExceededException')],
  ['throttling', refusing('ThrottlingException')],
])('the same request is sent again after %s', async (_what, answer) => {
  const { server, ask } = await aService(answer, answer, found)

  expect(await ask('Query', { ClientRequestToken: 'x' })).toHaveProperty('Items')
  expect(server.arrived.map(({ body }) => body)).toEqual(Array(3).fill('{"ClientRequestToken":"x"}'))
})

test('what a service refuses for good is refused at once, under its name', async () => {
  const { server, ask } = await aService(refusing('ConditionalCheckFailedException'))

  await expect(ask('UpdateItem', {})).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
    message: 'Why',
    status: 400,
    document: { More: [1] },
  })
  expect(server.arrived).toHaveLength(1)
})

test('after five attempts it is given up', async () => {
  const { server, ask } = await aService(answering(502, '<html>Bad gateway'))

  await expect(ask('Query', {})).rejects.toMatchObject({ name: 'HTTP 502', message: '<html>Bad gateway' })
  expect(server.arrived).toHaveLength(5)
})
