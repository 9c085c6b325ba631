import { expect, test } from 'vitest'
import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import { element } from '#lib/xml/element.ts'
import { passThrough } from '#test/middleware.ts'
import { envelope } from './envelope.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

const middleware = envelope({ envelope: 'nestedStatus' }, { streams: false, maxBytes: 1000 })

const answerTo = async (run: () => ReturnType<typeof element>) =>
  (await passThrough(middleware, { run })).answer

const failing = (error: Error) => () => {
  throw error
}

test('content becomes a document', async () => {
  expect(await answerTo(() => element('a', 'b'))).toMatchObject({
    statusCode: 200,
    body: `${DECLARATION}<page><a>b</a></page>`,
  })
})

test.each<[string, Error, number, string]>([
  [
    'a refusal of the method has its shape',
    new ApiError('No', 'method'),
    200,
    '<status><status><error>No</error></status></status>',
  ],
  [
    'one of a gate has the shape of all gates',
    gateRefusal('incorrect_hash'),
    200,
    '<status><error>Incorrect hash</error></status>',
  ],
  [
    'one of HTTP brings its status',
    httpRefusal('too_large'),
    413,
    '<status><error>Request is too large</error></status>',
  ],
  [
    'a bug is told in general words',
    new Error('secret'),
    500,
    '<status><error>Internal error</error></status>',
  ],
])('%s', async (_what, error, statusCode, inner) => {
  expect(await answerTo(failing(error))).toMatchObject({
    statusCode,
    body: `${DECLARATION}<page>${inner}</page>`,
  })
})

test("an answer that the transport cannot carry is refused in the method's shape", async () => {
  const { body } = await answerTo(() => element('a', 'x'.repeat(1001)))

  expect(body).toContain('<status><status><error>The answer is too large')
})
