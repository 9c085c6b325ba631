import { expect, test } from 'vitest'
import { ACCOUNT_TYPES, type AccountType } from '#lib/base/account-types.ts'
import { importRefusals } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const OWNERS = { admin: '0', reseller: '2', accountant: '1', partner: '4', user: '10', itself: '9' } as const

/** The reason why an account of a type cannot belong to an owner. */
function reasonFor(usertype: AccountType, owner: keyof typeof OWNERS): string | undefined {
  if (owner === 'admin') return undefined
  if (owner === 'itself') return usertype === 'admin' ? 'belongs to account 0' : 'only an admin owns itself'
  if (usertype === 'admin' || usertype === 'accountant') return `an ${usertype} belongs to account 0`
  return owner === 'reseller' || owner === 'partner' ? undefined : 'is not an admin, reseller or partner'
}

const CASES = ACCOUNT_TYPES.flatMap((usertype) =>
  Object.entries(OWNERS).map(([owner, id]) => [usertype, owner as keyof typeof OWNERS, id] as const),
)

test.each(CASES)(
  'an import of an account of type %s that belongs to %s',
  async (usertype, owner, owner_id) => {
    const world = await aWorld(everything)
    const row = { id: '9', username: 'new', usertype, owner_id, password_hash: '0'.repeat(40) }
    const reason = reasonFor(usertype, owner)

    const refused = await importRefusals(world, { users: [row] })

    expect(refused).toEqual(reason === undefined ? [] : [expect.stringContaining(reason)])
    expect(await damageIn(world)).toEqual([])
  },
)
