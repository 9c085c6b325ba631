import { expect, test } from 'vitest'
import { aContext, anEvent } from '#test/event.ts'
import { notFound } from './not_found.ts'

test('a path that names no method is answered with XML and 404, and logged', async () => {
  const log: unknown[] = []
  const answer = await notFound({ log: (line) => log.push(line) })(
    anEvent({ method: 'DELETE', path: '/x' }),
    aContext(),
  )

  expect([answer.statusCode, answer.body]).toEqual([
    404,
    '<?xml version="1.0" encoding="UTF-8"?><page><status><error>Unknown method</error></status></page>',
  ])
  expect(log).toMatchObject([{ refusal: 'Unknown method' }])
})
