import { expect, test } from 'vitest'
import { aContext, anEvent } from '#test/event.ts'
import { notFound } from './not_found.ts'

test.each([
  ['/api/x', 'Methods are at /api/&lt;method&gt;'],
  ['/api/device_get', 'Did you mean devices_get?'],
  ['/api/user_register.php/', 'Did you mean user_register?'],
  [`/api/devices_get${'x'.repeat(60)}`, 'Methods are at /api/&lt;method&gt;'],
])('a path that names no method is answered with XML and 404, and logged: %s', async (path, message) => {
  const log: unknown[] = []
  const answer = await notFound({ log: (line) => log.push(line) })(
    anEvent({ method: 'DELETE', path }),
    aContext(),
  )

  expect([answer.statusCode, answer.body]).toEqual([
    404,
    `<?xml version="1.0" encoding="UTF-8"?><page><status><error>Unknown method</error><message>${message}</message></status></page>`,
  ])
  expect(log).toMatchObject([{ refusal: 'Unknown method' }])
})
