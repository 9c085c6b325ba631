import { expect, test } from 'vitest'
import { passThrough } from '#lib/testing/middleware.ts'
import { rawParameters } from './raw-parameters.ts'

test('what was sent is found, the body before the query string', async () => {
  const request = { query: [['u', 'bob'] as const, ['n', '1'] as const], body: 'n=2' }

  const { findings } = await passThrough(rawParameters({}), { request })

  expect({ ...findings.raw }).toEqual({ u: 'bob', n: '2' })
})

test('what cannot be read is refused before anything else happens', async () => {
  const request = { body: '[1', headers: { 'content-type': 'application/json' } }

  await expect(passThrough(rawParameters({}), { request })).rejects.toMatchObject({ status: 400 })
})
