import { expect, test } from 'vitest'
import { accountIn } from '#lib/api/loads.ts'
import { readFresh } from '#lib/store/recent-items.ts'
import { people } from '#test/examples/examples.ts'
import { passThrough } from '#test/middleware.ts'
import { aWorld } from '#test/world.ts'
import { settingsAndCaller } from './settings-and-caller.ts'

const callers = { allowed: ['admin'], anonymous: 'Bad login' } as const
const loads = { account: accountIn('user_id'), other: accountIn('other_id') }

test("the settings, the account in u and the contract's items are read in one round trip", async () => {
  const { store, meter } = await aWorld({ users: people })
  const before = meter.spent.roundTrips
  const raw = { u: 'rick', user_id: '20' }

  const { findings } = await passThrough(settingsAndCaller({ loads, callers }, { readItems: readFresh }), {
    findings: { store, raw },
  })

  expect(findings.settings?.Allow_API).toBe(true)
  expect(findings.claimant).toMatchObject({ id: 2, usertype: 'reseller' })
  expect(findings.loaded).toEqual({ account: expect.objectContaining({ id: 20 }) })
  expect(meter.spent.roundTrips - before).toBe(1)
})

test('an account that two names refer to is found under both', async () => {
  const { store } = await aWorld({ users: people })
  const raw = { user_id: '20', other_id: '20' }

  const { findings } = await passThrough(settingsAndCaller({ loads, callers }, { readItems: readFresh }), {
    findings: { store, raw },
  })

  expect(findings.loaded).toMatchObject({ account: { id: 20 }, other: { id: 20 } })
})

test('an unknown username is no account', async () => {
  const { store } = await aWorld()

  const { findings } = await passThrough(settingsAndCaller({ callers }, { readItems: readFresh }), {
    findings: { store, raw: { u: 'x' } },
  })

  expect(findings.claimant).toBeUndefined()
})
