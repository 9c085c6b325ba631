import { expect, test } from 'vitest'
import { defineContract, defineMethod } from './method.ts'
import { textParam } from './parameters.ts'

test('a method is its contract with a run', async () => {
  const contract = defineContract({
    name: 'hello_get',
    summary: 'Says hello.',
    callers: 'public',
    params: { name: textParam },
    hashOrders: [{ signs: ['name'] }],
    errors: {},
    envelope: 'page',
    access: 'read',
  })
  const run = async () => 'hello'

  expect(contract).toMatchObject({ name: 'hello_get', params: { name: textParam } })
  expect(defineMethod(contract, run)).toEqual({ ...contract, run })
})
