import { expect, test } from 'vitest'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { isSigned } from '#lib/api/signature.ts'
import { findFunctionFile } from './function-files.ts'
import { exampleEvent, signedEvent } from './signed-call.ts'

const { method } = await findFunctionFile('devices_get')
const key = 'key-of-these-tests'

const edited = exampleEvent(method, { u: 'admin', user_id: '10', hash: 'of the original parameters' })
const asGet = {
  ...edited,
  httpMethod: 'GET',
  body: null,
  multiValueQueryStringParameters: { u: ['admin'], user_id: ['10'], hash: ['before'] },
}
const asJson = {
  ...edited,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"u":"admin","user_id":10}').toString('base64'),
  isBase64Encoded: true,
}

test.each([
  ['a form', edited],
  ['a query string', asGet],
  ['JSON in base64', asJson],
])('%s is signed again with the changes', async (_what, event) => {
  const same = await readRawParameters(await signedEvent(event, method, {}, key))
  const other = await readRawParameters(await signedEvent(event, method, { user_id: '11' }, key))

  expect({ ...same }).toMatchObject({ u: 'admin', user_id: '10' })
  expect({ ...other }).toMatchObject({ u: 'admin', user_id: '11' })
  expect([same, other].map((sent) => isSigned(sent, method.hashOrders, key))).toEqual([true, true])
})

test('a given hash is sent as it is', async () => {
  const event = await signedEvent(edited, method, { hash: 'wrong' }, key)

  expect(await readRawParameters(event)).toMatchObject({ user_id: '10', hash: 'wrong' })
})
