import { expect, test } from 'vitest'
import { checkPassword, hashPassword } from '#lib/domain/accounts/password.ts'
import { findCallers } from '#lib/store/accounts/account.ts'
import { importOne } from '#test/datasets/imports.ts'
import { aWorld } from '#test/world.ts'

const SHA1_OF_NOTHING = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'

const ada = { id: '0', username: 'ada', usertype: 'admin', owner_id: '0' }

test('an account without a password cannot log in until it gets one, which another import leaves', async () => {
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

test.each([SHA1_OF_NOTHING, SHA1_OF_NOTHING.toUpperCase()])(
  'the digest of the empty password is refused: %s',
  async (password_hash) => {
    const report = await importOne(await aWorld(), 'users', [{ ...ada, password_hash }])

    expect(report?.refused).toEqual(
      new Map([[1, 'password_hash is the SHA-1 of an empty password: none means no password']]),
    )
  },
)
