import { afterEach, expect, inject, test, vi } from 'vitest'
import { defineMethod } from '#lib/api/method.ts'
import { aContext, anEvent } from '#lib/testing/event.ts'
import { lambda } from './lambda.ts'

const hello = defineMethod(
  {
    name: 'hello_get',
    summary: 'Says hello.',
    callers: 'public',
    params: {},
    hashOrders: [],
    errors: {},
    envelope: 'page',
    access: 'read',
  },
  async () => 'hello',
)

afterEach(() => vi.unstubAllEnvs())

function aLambda(environment: Readonly<Record<string, string>>) {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'hello_get')
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('endpoint'))
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return lambda(hello)
}

test('a table that cannot be read while the Lambda initialises fails the call, and not the Lambda', async () => {
  const handler = aLambda({ TABLE_NAME: 'no-such-table' })

  expect(await handler(anEvent({ body: '' }), aContext())).toMatchObject({ statusCode: 500 })
})
