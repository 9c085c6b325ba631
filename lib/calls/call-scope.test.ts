import { expect, test } from 'vitest'
import type { AccountType } from '#lib/base/account-types.ts'
import { seesAccount } from '#lib/base/scope.ts'
import { callScopesOf, isCallInScope, requiredCallOwner } from './call-scope.ts'

const account = (id: number, usertype: AccountType, owner_id: number) => ({ id, usertype, owner_id })

const admin = account(0, 'admin', 0)
const accountant = account(1, 'accountant', 0)
const reseller = account(2, 'reseller', 0)
const partner = account(4, 'partner', 0)
const user = account(20, 'user', 2)
const stranger = account(40, 'user', 4)

test.each([
  ['admin', admin, ['everyone']],
  ['accountant', accountant, ['everyone']],
  ['reseller', reseller, [{ owner: 2 }, { user: 2 }]],
  ['partner', partner, [{ owner: 4 }, { user: 4 }]],
  ['user', user, [{ user: 20 }]],
])('the calls of a caller who names no account: %s', (_type, caller, scopes) => {
  expect(callScopesOf(caller)).toEqual(scopes)
})

test.each([
  ['a reseller who names a customer', reseller, 20, 2],
  ['a reseller who names nobody', reseller, undefined, undefined],
  ['a reseller who names itself', reseller, 2, undefined],
  ['an admin who names a customer', admin, 20, undefined],
])('the owner under which the calls must be stored, for %s', (_case, caller, customer, owner) => {
  expect(requiredCallOwner(caller, customer)).toBe(owner)
})

test.each([
  ["an admin, everybody's", admin, stranger, true],
  ["an accountant, everybody's", accountant, stranger, true],
  ["a reseller, its customers'", reseller, user, true],
  ["a reseller, not other customers'", reseller, stranger, false],
  ['a user, its own', user, user, true],
  ["a user, not others'", user, stranger, false],
])('whose calls may be seen: %s', (_case, caller, target, may) => {
  expect(seesAccount(caller, target)).toBe(may)
})

test.each([
  ['everyone', true],
  [{ user: 20 }, true],
  [{ user: 2 }, false],
  [{ owner: 2 }, true],
  [{ owner: 20 }, false],
] as const)('the call of customer 20, stored under owner 2, is in the scope %j: %j', (scope, isIn) => {
  expect(isCallInScope(scope, { user_id: 20, owner_id: 2 })).toBe(isIn)
})
