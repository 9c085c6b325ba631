import { expect, test } from 'vitest'
import type { AccountType } from './account-types.ts'
import {
  actsFor,
  documentScope,
  isActiveAdmin,
  isAdmin,
  isOwnCustomer,
  isOwnCustomerOrSelf,
  misplacement,
  ownScope,
  scopeKindOf,
  seesEveryone,
  widestScope,
  withOwnRights,
} from './scope.ts'

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

test('a scope is one of three kinds', () => {
  expect([{ user: 1 }, { owner: 1 }, 'everyone' as const].map(scopeKindOf)).toEqual([
    'user',
    'owner',
    'everyone',
  ])
})

test('admins and accountants see everyone, owners their customers, a plain user itself', () => {
  const callers = [admin, accountant, reseller, partner, user]

  expect(callers.filter(seesEveryone)).toEqual([admin, accountant])
  expect(callers.map(widestScope)).toEqual([
    'everyone',
    'everyone',
    { owner: OWNER },
    { owner: 4 },
    { user: 10 },
  ])
  expect(callers.map(ownScope)).toEqual([
    { owner: ADMIN },
    { owner: ADMIN },
    { owner: OWNER },
    { owner: 4 },
    { user: 10 },
  ])
})

test.each([
  ['an owner who names nobody', reseller, undefined, undefined, { owner: OWNER }],
  ['an owner who names a customer', reseller, 20, customerOfReseller, { user: 20, seller: OWNER }],
  ["an owner who names another's customer", reseller, 40, customerOfPartner, undefined],
  ['an owner who names an unknown account', reseller, 99, undefined, undefined],
  ['an admin who names account 0', admin, 0, admin, { user: 0, seller: 0 }],
  ['a plain user who names nobody', user, undefined, undefined, { user: 10 }],
  ['a plain user who names another', user, 20, customerOfReseller, { user: 10 }],
])('the documents for %s', (_case, caller, namedId, named, scope) => {
  expect(documentScope(caller, namedId, named)).toEqual(scope)
})

test.each([
  ['admin', []],
  ['reseller', [2, 4, 10]],
  ['accountant', []],
  ['partner', [2, 4, 10]],
  ['user', [2, 4, 10]],
] as const)('an account of type %s under each owner', (usertype, others) => {
  const owners = [ADMIN, 2, 4, 10, 7]
  const placed = owners.filter((owner_id) => misplacement({ id: 7, usertype, owner_id }) === undefined)
  expect(placed).toEqual([ADMIN, ...others, ...(usertype === 'admin' ? [7] : [])])
})

test('a misplaced account is refused with the rule that it breaks', () => {
  expect(misplacement(account(5, 'admin', OWNER))).toBe('an admin belongs to account 0')
  expect(misplacement(account(5, 'admin', 5))).toBeUndefined()
  expect(misplacement(account(10, 'user', 10))).toBe('only an admin owns itself')
  expect(misplacement(account(ADMIN, 'user', OWNER))).toBe('account 0 is an admin')
  expect(misplacement(account(1, 'accountant', OWNER))).toBe('an accountant belongs to account 0')
})

test('account 0 is an admin', () => {
  const placed = (usertype: AccountType) => misplacement(account(ADMIN, usertype, OWNER)) === undefined

  expect([placed('user'), placed('reseller')]).toEqual([false, false])
  expect(misplacement(admin)).toBeUndefined()
})

test('a misplaced admin or accountant sees its own customers only', () => {
  const [lostAdmin, lostAccountant] = [account(6, 'admin', OWNER), account(7, 'accountant', OWNER)]

  expect([lostAdmin, lostAccountant].map(seesEveryone)).toEqual([false, false])
  expect([lostAdmin, lostAccountant].map(widestScope)).toEqual([{ owner: 6 }, { owner: OWNER }])
  expect([lostAdmin, lostAccountant].map(isAdmin)).toEqual([false, false])
  expect([admin, otherAdmin, account(5, 'admin', 5), accountant].map(isAdmin)).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(isOwnCustomer(lostAdmin, user)).toBe(false)
})

test('an active admin is an admin in its place who is not blocked', () => {
  expect(isActiveAdmin({ ...otherAdmin, blocked: false })).toBe(true)
  expect(isActiveAdmin({ ...otherAdmin, blocked: true })).toBe(false)
  expect(isActiveAdmin({ ...reseller, blocked: false })).toBe(false)
  expect(isActiveAdmin({ ...account(9, 'admin', OWNER), blocked: false })).toBe(false)
})

test.each(['admin', 'accountant'] as const)('a misplaced %s has the rights of a reseller', (usertype) => {
  expect(withOwnRights(account(9, usertype, OWNER)).usertype).toBe('reseller')
  expect(withOwnRights(account(9, usertype, ADMIN)).usertype).toBe(usertype)
  expect(withOwnRights(user)).toBe(user)
})
