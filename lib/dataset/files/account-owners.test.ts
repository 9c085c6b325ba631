import { expect, test } from 'vitest'
import { ACCOUNT_TYPES, type AccountType } from '#lib/base/account-types.ts'
import { namesIn } from '#lib/base/collections.ts'
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

test.each(ACCOUNT_TYPES)(
  'an import of accounts of type %s that belong to every kind of owner',
  async (usertype) => {
    const world = await aWorld(everything)
    const reasons = namesIn(OWNERS).flatMap((owner) => reasonFor(usertype, owner) ?? [])
    const rows = Object.values(OWNERS).map((owner_id, index) => {
      const id = owner_id === OWNERS.itself ? owner_id : `${50 + index}`
      return { id, username: `new-${index}`, usertype, owner_id, password_hash: '0'.repeat(40) }
    })

    const refused = await importRefusals(world, { users: rows })

    expect(refused).toHaveLength(reasons.length)
    expect(refused).toEqual(expect.arrayContaining(reasons.map((reason) => expect.stringContaining(reason))))
    expect(await damageIn(world)).toEqual([])
  },
)
