import { expect, test } from 'vitest'
import type { Caller } from '#lib/store/accounts/account.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import { admitCaller } from './admit-caller.ts'

const callers = { allowed: ['admin', 'user'], anonymous: 'Who are you', others: 'Not you' } as const

const bob = { id: 10, usertype: 'user', blocked: false } as Caller

test('an account of an admitted type becomes the caller', async () => {
  const { findings, ran } = await passThrough(admitCaller({ callers }), { findings: { claimant: bob } })

  expect(findings.caller).toBe(bob)
  expect(ran).toBe(true)
})

test.each<[string, Partial<Caller> | undefined, string]>([
  ['nobody', undefined, 'Who are you'],
  ['a blocked account', { blocked: true }, 'Who are you'],
  ['a blocked account of a type that is not admitted', { blocked: true, usertype: 'partner' }, 'Who are you'],
  ['a type that is not admitted', { usertype: 'partner' }, 'Not you'],
])('%s is turned away in the words of the contract', async (_who, change, words) => {
  const claimant = change && { ...bob, ...change }

  await expect(passThrough(admitCaller({ callers }), { findings: { claimant } })).rejects.toThrow(words)
})

test('without words of their own, types that are not admitted hear what nobody hears', async () => {
  const { others: _, ...without } = callers
  const claimant: Caller = { ...bob, usertype: 'reseller' }

  await expect(passThrough(admitCaller({ callers: without }), { findings: { claimant } })).rejects.toThrow(
    'Who are you',
  )
})

test('a public method takes everybody', async () => {
  const { ran } = await passThrough(admitCaller({ callers: 'public' }))

  expect(ran).toBe(true)
})
