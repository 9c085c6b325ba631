import { expect, test } from 'vitest'
import { accountIn } from '#lib/api/named.ts'
import { people } from '#lib/testing/examples.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import { aWorld } from '#lib/testing/world.ts'
import { settingsAndCaller } from './settings-and-caller.ts'

const names = { account: accountIn('user_id'), other: accountIn('other_id') }

test('settings, the account in u and what the contract names come in one round trip', async () => {
  const { store, meter } = await aWorld({ users: people })
  const before = meter.spent.roundTrips
  const raw = { u: 'rick', user_id: '20' }

  const { findings } = await passThrough(settingsAndCaller({ names }), { findings: { store, raw } })

  expect(findings.settings.Allow_API).toBe(true)
  expect(findings.claimant).toMatchObject({ id: 2, usertype: 'reseller' })
  expect(findings.named).toMatchObject({ account: { id: 20 }, other: undefined })
  expect(meter.spent.roundTrips - before).toBe(1)
})

test('the same account under two names is found under both', async () => {
  const { store } = await aWorld({ users: people })
  const raw = { user_id: '20', other_id: '20' }

  const { findings } = await passThrough(settingsAndCaller({ names }), { findings: { store, raw } })

  expect(findings.named).toMatchObject({ account: { id: 20 }, other: { id: 20 } })
})

test('an unknown name claims nothing', async () => {
  const { store } = await aWorld()

  const { findings } = await passThrough(settingsAndCaller({}), { findings: { store, raw: { u: 'x' } } })

  expect(findings.claimant).toBeUndefined()
})
