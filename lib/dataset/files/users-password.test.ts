import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { checkPassword, hashPassword } from '#lib/accounts/password.ts'
import type { Store } from '#lib/table/store.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { aWorld } from '#test/world.ts'

const SHA1_OF_NOTHING = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'

const ada = { id: '0', username: 'ada', usertype: 'admin', owner_id: '0' }

test('an account without a password cannot log in until it gets one, which imports keep', async () => {
  const world = await aWorld()
  const row = { ...ada, password_hash: 'none' }
  const hash = async () => (await findCallers(world.store, ['ada']))[0]?.password_hash
  expect(await importOne(world, 'users', [row])).toMatchObject({ written: 1, refused: new Map() })
  for (const guess of ['', 'none']) {
    expect(await checkPassword(guess, await hash())).toEqual({ matches: false })
  }
  const password_hash = await hashPassword('a new one')
  await importOne(world, 'users', [{ ...ada, password_hash }])
  await importOne(world, 'users', [{ ...row, first_name: 'Ada' }])

  expect((await checkPassword('a new one', await hash())).matches).toBe(true)
})

test('a short password is refused as a new one, and kept as the present one or as a hash', async () => {
  const world = await aWorld()
  const short = { ...ada, password: 'x' }
  const importing = async (row: typeof ada) => (await importOne(world, 'users', [row]))?.refused
  const refused = new Map([[1, 'password takes at least 8 characters']])

  expect(await importing(short)).toEqual(refused)
  const digest = createHash('sha1').update('x').digest('hex')
  expect(await importing({ ...ada, password_hash: digest } as typeof ada)).toEqual(new Map())
  expect(await importing(short)).toEqual(new Map())
  expect(await importing({ ...ada, password: 'y' } as typeof ada)).toEqual(refused)
})

test.each([SHA1_OF_NOTHING, SHA1_OF_NOTHING.toUpperCase()])(
  'the digest of the empty password is refused: %s',
  async (password_hash) => {
    const report = await importOne(await aWorld(), 'users', [{ ...ada, password_hash }])

    expect(report?.refused).toEqual(
      new Map([[1, 'password_hash is the SHA-1 of an empty password: none means no password']]),
    )
  },
)

/** A store before whose transaction of this number the account 5 gets another password. */
function withNewPasswordBefore(store: Store, turn: number): Store {
  let transactions = 0
  const transact: Store['transact'] = async (changes) => {
    transactions += 1
    if (transactions === turn)
      await store.transact([passwordHashSet({ id: 5, username: 'bob', password_hash: 'new' })])
    return store.transact(changes)
  }
  return { ...store, transact }
}

const bob = { id: '5', username: 'bob', usertype: 'user', owner_id: '2' }

const stored = [
  ada,
  { id: '2', username: 'rita', usertype: 'reseller', owner_id: '0' },
  { id: '3', username: 'rick', usertype: 'reseller', owner_id: '0' },
  bob,
].map((row) => ({ ...row, password_hash: '0'.repeat(40) }))

test.each([
  ['a row without a password', 1, { first_name: 'Bob' }],
  ['a row with a blank password', 1, { first_name: 'Bob', password: '', password_hash: '' }],
  ['a row for an account without a password', 1, { first_name: 'Bob', password_hash: 'none' }],
  ['a row with another name', 1, { username: 'robert' }],
  ['a row with another owner', 1, { owner_id: '3' }],
  ['a row with another owner, whose devices are moved', 2, { owner_id: '3' }],
])('a password that is changed meanwhile stays: %s', async (_, turn, cells) => {
  const world = await aWorld({ users: stored })
  const store = withNewPasswordBefore(world.store, turn)
  const report = await importOne({ ...world, store }, 'users', [{ ...bob, ...cells }], {
    rename: true,
  })

  expect(report).toMatchObject({ written: 1, refused: new Map() })
  const row = { ...bob, ...cells }
  expect(await findCallers(world.store, [row.username])).toMatchObject([
    { owner_id: Number(row.owner_id), password_hash: 'new' },
  ])
})
