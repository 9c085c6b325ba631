import { expect, test } from 'vitest'
import type { AccountType } from './account.ts'
import { actsFor, isOwnCustomer, isOwnCustomerOrSelf } from './scope.ts'

const ADMIN = 0
const OWNER = 2

const account = (id: number, usertype: AccountType, owner_id: number) => ({ id, usertype, owner_id })

const admin = account(ADMIN, 'admin', ADMIN)
const otherAdmin = account(5, 'admin', ADMIN)
const accountant = account(1, 'accountant', ADMIN)
const reseller = account(OWNER, 'reseller', ADMIN)
const partner = account(4, 'partner', ADMIN)
const user = account(10, 'user', ADMIN)
const customerOfReseller = account(20, 'user', OWNER)
const customerOfPartner = account(40, 'user', 4)

test.each([
  ['admin: itself', admin, admin, true],
  ['admin: its customers, of any type', admin, reseller, true],
  ["admin: not a reseller's customers", admin, customerOfReseller, false],
  ['a second admin: account 0', otherAdmin, admin, true],
  ['a second admin: itself', otherAdmin, otherAdmin, true],
  ["a second admin: admin's customers", otherAdmin, user, true],
  ["a second admin: not a reseller's customers", otherAdmin, customerOfReseller, false],
  ['accountant: admin', accountant, admin, true],
  ["accountant: admin's customers", accountant, user, true],
  ["accountant: not a reseller's customers", accountant, customerOfReseller, false],
  ['reseller: its customers', reseller, customerOfReseller, true],
  ['reseller: not itself', reseller, reseller, false],
  ["reseller: not admin's customers", reseller, user, false],
  ['partner: its customers', partner, customerOfPartner, true],
  ["partner: not a reseller's customers", partner, customerOfReseller, false],
  ['user: none', user, user, false],
])('own customers of %s', (_case, caller, target, expected) => {
  expect(isOwnCustomer(caller, target)).toBe(expected)
})

test('every account may act on itself', () => {
  for (const someone of [admin, accountant, reseller, partner, user]) {
    expect(isOwnCustomerOrSelf(someone, someone)).toBe(true)
  }
  expect(isOwnCustomerOrSelf(user, customerOfReseller)).toBe(false)
})

test('every admin acts for account 0, an accountant for its owner, a plain user for no owner', () => {
  expect([admin, otherAdmin, accountant, reseller, partner, user].map(actsFor)).toEqual([
    ADMIN,
    ADMIN,
    ADMIN,
    OWNER,
    4,
    undefined,
  ])
})
