import { expect, test } from 'vitest'
import { findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { aContext, anEvent } from '#test/event.ts'
import { people, withCheapHash } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, SECRET_KEY, signedForm, type World } from '#test/world.ts'
import { method } from './user_details_update.ts'

const UPDATED = '<?xml version="1.0" encoding="UTF-8"?><page><status>User updated</status></page>'

const refusal = (message: string) => `<page><error>${message}</error></page>`

const tariff = (id: string, owner_id: string) => ({
  id,
  owner_id,
  name: `T${id}`,
  purpose: 'retail',
  currency: 'USD',
})

const aWorldToChange = (settings = {}) =>
  aWorld(
    {
      users: people.map((person) => ({
        ...withCheapHash(person),
        uniquehash: `hash of ${person.username}`,
        ...(person.username === 'alice' && { permissions: 'see_all, manage_users' }),
      })),
      tariffs: [tariff('1', '0'), tariff('2', '2')],
    },
    settings,
  )

const stored = (world: World, id: number) => findWholeAccount(world.store, id)

test('stores every detail that it supports, and nothing else', async () => {
  const world = await aWorldToChange()
  const before = await stored(world, 10)

  expect(
    await world.call(method, 'admin', {
      user_id: 10,
      u0: 'GB 7',
      u5: 1,
      u9: 'robert',
      u15: 1,
      u17: 'Black & Son',
      u18: 20,
      u19: 'C-7',
      u23: 'Robert',
      u25: 1,
      u27: 'A-7',
      u28: 1,
      u32: '12.50',
      u33: 'pays late',
      ay: 2026,
      am: 2,
      ad: 9,
      credit: '100.5',
    }),
  ).toBe(UPDATED)

  expect(await stored(world, 10)).toEqual({
    ...before,
    vat_number: 'GB 7',
    tariff_id: 1,
    username: 'robert',
    blocked: true,
    blocks: 1,
    last_name: 'Black & Son',
    calls_limit: 20,
    clientid: 'C-7',
    first_name: 'Robert',
    postpaid: true,
    agreement_number: 'A-7',
    hidden: true,
    daily_balance_limit: '12.5',
    comment: 'pays late',
    agreement_date: '2026-02-09',
    credit: '100.5',
    version: (before?.version ?? 0) + 1,
  })
  expect(await damageIn(world)).toEqual([])
})

test('keeps what is not sent, and takes plain names as well', async () => {
  const world = await aWorldToChange()
  const before = await stored(world, 10)

  expect(await world.call(method, 'admin', { user_id: 10, first_name: 'Robert', last_name: 'Black' })).toBe(
    UPDATED,
  )
  expect(await stored(world, 10)).toMatchObject({
    ...before,
    first_name: 'Robert',
    last_name: 'Black',
    version: 2,
  })

  expect(await world.call(method, 'admin', { user_id: 10, u23: 'Rob', first_name: 'Bert' })).toBe(UPDATED)
  expect(await stored(world, 10)).toMatchObject({ first_name: 'Rob', last_name: 'Black' })
})

test('a blank clears a text and a date, and 0 or less a limit', async () => {
  const world = await aWorldToChange()
  const given = { u0: 'GB 7', u27: 'A-7', u18: 5, u32: 5, ay: 2026, am: 2, ad: 9 }
  await world.call(method, 'admin', { user_id: 10, ...given })

  await world.call(method, 'admin', { user_id: 10, u0: '', u27: '', u18: 0, u32: -1, ay: '', am: '', ad: '' })

  const after = await stored(world, 10)
  expect(after).toMatchObject({ vat_number: '', agreement_number: '' })
  expect([after?.calls_limit, after?.daily_balance_limit, after?.agreement_date]).toEqual(
    Array(3).fill(undefined),
  )
})

test('a prepaid account has no credit, and gets none back', async () => {
  const world = await aWorldToChange()

  expect(await world.call(method, 'admin', { user_id: 10, credit: 7 })).toBe(UPDATED)
  expect(await world.call(method, 'admin', { user_id: 10, u25: 0 })).toBe(UPDATED)
  expect(await stored(world, 10)).toMatchObject({ postpaid: false, credit: '0' })
  expect(await world.callInVain(method, 'admin', { user_id: 10, credit: '-1' })).toContain(
    '<page><error>User was not updated</error><message>credit is 0 for a prepaid account</message></page>',
  )
  expect(await world.call(method, 'admin', { user_id: 10, u25: 1, credit: -1 })).toBe(UPDATED)
  expect(await stored(world, 10)).toMatchObject({ postpaid: true, credit: '-1' })
})

const passwordOf = async (world: World, username: string) =>
  (await findCallers(world.store, [username]))[0]?.password_hash ?? ''

test('a new password is stored as a digest, and a new name keeps password and keys', async () => {
  const world = await aWorldToChange()

  expect(await world.call(method, 'rick', { user_id: 20, pswd: 'Lighthouse-7' })).toBe(UPDATED)
  const hash = await passwordOf(world, 'carol')
  expect(await checkPassword('Lighthouse-7', hash)).toMatchObject({ matches: true })

  expect(await world.call(method, 'rick', { user_id: 20, u9: 'caroline' })).toBe(UPDATED)
  expect(await passwordOf(world, 'caroline')).toBe(hash)
  expect(await passwordOf(world, 'carol')).toBe('')
})

test('a password that is changed meanwhile stays', async () => {
  const world = await aWorldToChange()
  let isChanged = false
  const openStore: typeof world.services.openStore = (meter) => {
    const store = world.services.openStore(meter)
    const transact: typeof store.transact = async (changes) => {
      if (!isChanged)
        await store.transact([passwordHashSet({ id: 10, username: 'bob', password_hash: 'new' })])
      isChanged = true
      return store.transact(changes)
    }
    return { ...store, transact }
  }
  const body = signedForm(method, { u: 'admin', user_id: 10, u9: 'robert' })

  const answer = await serve(method, { ...world.services, openStore })(anEvent({ body }), aContext())

  expect(bodyOf(answer)).toBe(UPDATED)
  expect(await passwordOf(world, 'robert')).toBe('new')
})

test.each([
  ['admin', 10],
  ['admin', 2],
  ['alice', 10],
  ['rick', 20],
  ['pat', 40],
])('%s changes account %i', async (caller, user_id) => {
  const world = await aWorldToChange()

  expect(await world.call(method, caller, { user_id, u33: 'seen' })).toBe(UPDATED)
  expect(await stored(world, user_id)).toMatchObject({ comment: 'seen' })
})

test.each([
  ['nobody', undefined, { user_id: 10 }, 'Access Denied'],
  ['a plain user', 'bob', { user_id: 10 }, 'Access Denied'],
  ['itself', 'rick', { user_id: 2 }, 'Access Denied'],
  ['account 0', 'alice', { user_id: 0 }, 'Access Denied'],
  ["another owner's customer", 'rick', { user_id: 10 }, 'User was not found'],
  ["a reseller's customer, to admin", 'admin', { user_id: 20 }, 'User was not found'],
  ['an unknown account', 'admin', { user_id: 12345 }, 'User was not found'],
  ['no id', 'admin', { u23: 'x' }, 'User id must be present'],
  ['a blank id', 'admin', { user_id: ' ' }, 'User id must be present'],
  ['a negative id', 'admin', { user_id: -10 }, 'User id must be non negative integer'],
  ['a name as the id', 'admin', { user_id: 'bob' }, 'User id must be non negative integer'],
  ['an unknown tariff', 'admin', { user_id: 10, u5: 9 }, 'Tariff not found'],
  ["another owner's tariff", 'admin', { user_id: 10, u5: 2 }, 'Tariff not found'],
  ["admin's tariff, to a reseller", 'rick', { user_id: 20, u5: 1 }, 'Tariff not found'],
  ['no tariff', 'admin', { user_id: 10, u5: '' }, 'Tariff not found'],
  ['a short password', 'admin', { user_id: 10, pswd: 'short' }, 'Password must be longer than 5 characters'],
  ['a blank password', 'admin', { user_id: 10, pswd: '' }, 'Password must be longer than 5 characters'],
  ['an LCR', 'admin', { user_id: 10, u1: 3 }, 'u1 is not supported'],
  ['another type', 'admin', { user_id: 10, u13: 'reseller' }, 'u13 is not supported'],
  ['an address', 'admin', { user_id: 10, a0: 'Quay' }, 'a0 is not supported'],
  ['characters without XML', 'admin', { user_id: 10, u23: '\u0001' }, 'u23 has invalid characters'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldToChange()

  expect(await world.callInVain(method, caller, params)).toContain(refusal(message))
})

test.each([
  ['u9', ' ', 'u9 takes 1 to 255 characters'],
  ['u9', 'b'.repeat(256), 'u9 takes 1 to 255 characters'],
  ['u9', 'ben', 'u9 is the username of another account'],
  ['u15', '2', 'u15 takes 0 or 1'],
  ['u28', '', 'u28 takes 0 or 1'],
  ['u25', 'yes', 'u25 takes 0 or 1'],
  ['credit', '-2', 'credit takes an amount from 0, or -1 for no limit'],
  ['credit', '1e3', 'credit takes an amount from 0, or -1 for no limit'],
  ['credit', '1,5', 'credit takes an amount from 0, or -1 for no limit'],
  ['credit', '1234567890123456', 'credit takes an amount from 0, or -1 for no limit'],
  ['u18', '1001', 'u18 takes a whole number up to 1000; 0 or less is no limit'],
  ['u32', '', 'u32 takes an amount; 0 or less is no limit'],
  ['ay', '2026', 'ay, am and ad are a date together'],
])('a value of %s that does not fit is named: %j', async (parameter, value, reason) => {
  const world = await aWorldToChange()

  expect(await world.callInVain(method, 'admin', { user_id: 10, [parameter]: value })).toContain(
    `<page><error>User was not updated</error><message>${reason}</message></page>`,
  )
})

test('a day that does not exist is refused', async () => {
  const world = await aWorldToChange()

  expect(await world.callInVain(method, 'admin', { user_id: 10, ay: '2026', am: '2', ad: '30' })).toContain(
    '<message>ay, am and ad are a date together</message>',
  )
})

test('a weak password is refused while strong ones are asked for', async () => {
  const world = await aWorldToChange({ Use_strong_passwords: '1' })

  expect(await world.callInVain(method, 'admin', { user_id: 10, pswd: 'lighthouse' })).toContain(
    refusal('Password must contain at least one numeric value, capital and lowercase symbol'),
  )
})

test('accountants need a permission, and change neither admins nor accountants', async () => {
  const world = await aWorldToChange()
  await world.given({
    users: [
      { id: '7', username: 'adam', usertype: 'admin', owner_id: '0', password_hash: '0'.repeat(40) },
      { id: '8', username: 'amy', usertype: 'accountant', owner_id: '0', password_hash: '0'.repeat(40) },
    ],
  })

  expect(await world.callInVain(method, 'amy', { user_id: 10, u33: 'x' })).toContain(
    refusal('You have no editing permission'),
  )
  for (const user_id of [7, 8])
    expect(await world.callInVain(method, 'alice', { user_id, u33: 'x' })).toContain(
      refusal('User was not found'),
    )
  expect(await world.call(method, 'adam', { user_id: 8, u33: 'x' })).toBe(UPDATED)
})

const withPermissions = (username: string, permissions: string) => ({
  users: people
    .filter((person) => person.username === username)
    .map((person) => ({ ...withCheapHash(person), permissions })),
})

test.each([
  ['alice', 10, 'bob', 'api_settings', 'Access Denied'],
  ['alice', 10, 'bob', 'see_all, api_settings', 'Access Denied'],
  ['alice', 10, 'bob', 'manage_users', undefined],
  ['rick', 20, 'carol', 'manage_users', 'Access Denied'],
  ['admin', 10, 'bob', 'api_settings manage_users', undefined],
] as const)('%s and account %i (%s) with %s', async (caller, user_id, username, permissions, words) => {
  const world = await aWorldToChange()
  await world.given(withPermissions(username, permissions))
  const change = { user_id, pswd: 'Lighthouse-7' }

  if (words === undefined) expect(await world.call(method, caller, change)).toBe(UPDATED)
  else expect(await world.callInVain(method, caller, change)).toContain(refusal(words))
})

test('who has a permission changes others with it', async () => {
  const world = await aWorldToChange()
  await world.given(withPermissions('bob', 'api_settings'))
  await world.given(withPermissions('alice', 'manage_users,api_settings'))

  expect(await world.call(method, 'alice', { user_id: 10, pswd: 'Lighthouse-7' })).toBe(UPDATED)
})

const sendWith = async (world: World, sent: Readonly<Record<string, string>>, hash: string) =>
  bodyOf(await world.send(method, { body: new URLSearchParams({ u: 'admin', ...sent, hash }).toString() }))

test.each([
  ['the id', { user_id: '581' }, 'asdfghjkl', 'b3b8a6f4063a0569212c91098627a9c394283bd6'],
  [
    'the listed order',
    { user_id: '7', u15: '1', u5: '12' },
    'secret',
    '75bda54a1bdd6dc20d0b3e76fc3a93103841d5d7',
  ],
])('the vector over %s is a signature', async (_what, sent, API_Secret_Key, hash) => {
  const world = await aWorldToChange({ API_Secret_Key })

  expect(await sendWith(world, sent, hash)).toContain(refusal('User was not found'))
})

test.each([
  ['first_name', 'Robert', UPDATED],
  ['last_name', 'Black', UPDATED],
  ['u17', 'Black', UPDATED],
  ['u23', 'Robert', UPDATED],
  ['u33', 'seen', UPDATED],
  ['u15', '1', 'Incorrect hash'],
  ['u5', '1', 'Incorrect hash'],
  ['credit', '-1', 'Incorrect hash'],
  ['pswd', 'Lighthouse-7', 'Incorrect hash'],
  ['u9', 'robert', 'Incorrect hash'],
])(
  'the hash of the id alone, which also lists devices, changes %s to %j: %s',
  async (name, value, outcome) => {
    const world = await aWorldToChange()
    const hash = signatureOf({ user_id: '10' }, { signs: ['user_id'] }, SECRET_KEY)

    expect(await sendWith(world, { user_id: '10', [name]: value }, hash)).toContain(outcome)
  },
)

test('neither a new password nor its digest reaches the log', async () => {
  const world = await aWorldToChange()
  await world.call(method, 'admin', { user_id: 10, pswd: 'Lighthouse-7' })

  const log = JSON.stringify(world.log)
  expect(log).not.toContain('Lighthouse-7')
  expect(log).not.toContain(await passwordOf(world, 'bob'))
})
