import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { recountHolds, releaseHolds } from '#lib/control/hold-acts.ts'
import { holdsKey } from '#lib/control/holds.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { heldMoney } from '#test/control/money.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { damageIn } from '#test/soundness.ts'
import { pass, type World } from '#test/world.ts'
import { listingText } from '../../command-line/listing.ts'
import { listHolds } from './holds.ts'

async function listed({ store, now }: World, account?: string) {
  const listing = await listHolds(store, account, now)
  return JSON.parse((await Array.fromAsync(listingText(listing, 'json'))).join(''))
}

test('holds are listed, and released by name or when their time is over', async () => {
  const world = await aControlledWorld(prepaidBob('8', { reserve_seconds: '60' }))
  const { authorize } = await aSwitch(world)
  await authorize({ call: 'one' })
  pass(world, 1300)
  await authorize({ call: 'two' })

  const [first, second] = await listed(world)
  expect([first.state, second.state].sort()).toEqual(['expired', 'open'])
  expect(await listed(world, 'bob')).toHaveLength(2)
  expect(first).toMatchObject({ account: 'bob', amount: '0.2', seconds: 60 })
  const { hold } = [first, second].find(({ state }) => state === 'open')
  const release = (given: GivenTexts) => carriedOut(world, releaseHolds, { account: 'bob', ...given })
  expect((await release({ expired: 'yes' })).log).toEqual({ action: 'released 1 hold of bob' })
  expect((await release({ holds: hold })).answer).toEqual({ account: 10, released: 1 })
  expect(await heldMoney(world)).toMatchObject({ held: '0', open: 0 })
  expect(await release({ expired: 'yes' })).toEqual({ answer: { account: 10, released: 0 } })
  await expect(release({ holds: hold })).rejects.toMatchObject({
    code: 'unknown_hold',
    values: { username: 'bob', hold },
  })
  await expect(release({})).rejects.toMatchObject({ code: 'no_hold_named', field: 'holds' })
})

test('the sum of holds is written again', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  await (await aSwitch(world)).authorize({ call: 'one' })
  await world.store.update(holdsKey(10), { add: { held: 1, open: 2 } })

  expect(await damageIn(world)).toEqual([expect.stringContaining('Account 10 holds 7 for 3 calls')])
  const recounted = await carriedOut(world, recountHolds, { account: 'bob' })
  expect(recounted).toEqual({
    answer: { account: 10, held: '6', calls: 1 },
    log: { action: 'recounted the holds of bob: 6 for 1 call' },
  })
  expect(await damageIn(world)).toEqual([])
  await expect(carriedOut(world, recountHolds, { account: 'rick' })).rejects.toMatchObject({
    code: 'no_holds',
    values: { username: 'rick' },
  })
})
