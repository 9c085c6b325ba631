import { expect, test } from 'vitest'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { passThrough } from '#test/middleware.ts'
import { rawParameters, typedParameters } from './parameters.ts'

test('the parameters are read, and the body overrides the query string', async () => {
  const request = { query: [['u', 'bob'] as const, ['n', '1'] as const], body: 'n=2' }

  const { findings } = await passThrough(rawParameters({}), { request })

  expect({ ...findings.raw }).toEqual({ u: 'bob', n: '2' })
})

test('an unreadable request is refused', async () => {
  const request = { body: '[1', headers: { 'content-type': 'application/json' } }

  await expect(passThrough(rawParameters({}), { request })).rejects.toMatchObject({ status: 400 })
})

test('declared parameters are read by their types, and others are ignored', async () => {
  const raw = { user_id: ' 7 ', undeclared: 'x' }

  const { findings } = await passThrough(
    typedParameters({ params: { user_id: idParam, comment: textParam } }),
    {
      findings: { raw },
    },
  )

  expect(findings.params).toEqual({ user_id: 7, comment: undefined })
})
