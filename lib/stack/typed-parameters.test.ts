import { expect, test } from 'vitest'
import { id, text } from '#lib/api/parameters.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import { typedParameters } from './typed-parameters.ts'

test('every declared parameter is read by its type; what the contract does not declare is left out', async () => {
  const raw = { user_id: ' 7 ', undeclared: 'x' }

  const { findings } = await passThrough(typedParameters({ params: { user_id: id, comment: text } }), {
    findings: { raw },
  })

  expect(findings.params).toEqual({ user_id: 7, comment: undefined })
})
