import { expect, test } from 'vitest'
import { ACCOUNT_TYPES, displayName, ownsCustomers, partiesOf } from './account-types.ts'

test('admins, resellers and partners own customers', () => {
  expect(ACCOUNT_TYPES.filter((usertype) => ownsCustomers({ usertype }))).toEqual([
    'admin',
    'reseller',
    'partner',
  ])
})

test.each([
  ['Ada', 'Byron', 'Ada Byron'],
  ['', 'Byron', 'Byron'],
  ['Ada', ' ', 'Ada'],
  [' ', '', 'ada'],
])('the account ada of "%s" and "%s" is shown as "%s"', (first_name, last_name, shown) => {
  expect(displayName({ first_name, last_name, username: 'ada' })).toBe(shown)
})

test("a call concerns its ends' accounts, each once, and an end with customers as an owner too", () => {
  const customer = { id: 20, usertype: 'user', owner_id: 2 } as const
  const reseller = { id: 2, usertype: 'reseller', owner_id: 0 } as const

  expect(partiesOf([customer, undefined])).toEqual({ users: [20], owners: [2] })
  expect(partiesOf([customer, reseller])).toEqual({ users: [20, 2], owners: [2, 0] })
  expect(partiesOf([customer, customer])).toEqual({ users: [20], owners: [2] })
})
