import { expect, test } from 'vitest'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { rate } from '#test/examples/tariffs.ts'
import { pass, type World } from '#test/world.ts'
import { REFUSAL_REASONS } from './authorize.ts'
import { mayCall } from './may-call.ts'

const BOB = 10

const mayBobCall = async ({ store, now }: World, dst = UK, user_id = BOB) =>
  mayCall(store, { user_id, dst }, await settingsOf(store), now)

/** The obstacles that refuse bob's call, each with the change that lets it pass this rule. */
const OBSTACLES = [
  ['blocked', { blocked: '1' }, 'bob is blocked'],
  ['new_country', { known_countries: '' }, 'the first call to this country, above 0.1 a minute'],
  ['too_dear', { dearest_rate: '0.15' }, 'bob: at most 0.15 a minute'],
  ['calls_limit', { calls_limit: '0' }, 'bob: 0 of 0 calls run'],
  ['daily_limit', { daily_balance_limit: '0' }, 'bob: 0.0000 USD left today'],
  ['no_money', { balance: '0' }, 'bob: 0.0000 USD left'],
] as const

test('of several obstacles the first one refuses, in the printed order, as the switch is told', async () => {
  for (const [index, [rule, , says]] of OBSTACLES.entries()) {
    const { balance, ...account } = Object.assign(
      { balance: '8', known_countries: 'any' },
      ...OBSTACLES.slice(index).map(([, obstacle]) => obstacle),
    )
    const world = await aControlledWorld(prepaidBob(balance, account), {
      New_Country_Rate: '0.1',
      New_Country_Brake: '1',
    })
    const { authorize } = await aSwitch(world)

    const { reason, rules, ...verdict } = await mayBobCall(world)

    expect(verdict).toEqual({ allow: false, seconds: 0, isAsked: true })
    expect(reason).toBe(rule)
    expect(await authorize({ call: 'one' })).toMatchObject({ reason: rule })
    expect(rules.find((one) => one.state === 'refused')).toEqual({ rule, state: 'refused', says })
    expect(rules.map(({ state }) => state)).toEqual(
      REFUSAL_REASONS.map((_one, place) => {
        const refusedAt = REFUSAL_REASONS.indexOf(rule)
        if (place === refusedAt) return 'refused'
        return place < refusedAt ? 'passed' : 'not_asked'
      }),
    )
    expect(
      rules
        .filter(({ state }) => state === 'not_asked')
        .map(({ says }) => says)
        .join(''),
    ).toBe('')
  }
})

test('an allowed call has the seconds that the switch gets, and nothing is held', async () => {
  const world = await aControlledWorld(prepaidBob('8', { calls_limit: '2' }))
  const { authorize } = await aSwitch(world)
  await authorize({ call: 'one', seconds: 60 })

  const { allow, reason, seconds, rules } = await mayBobCall(world)

  expect([allow, reason, ...new Set(rules.map(({ state }) => state))]).toEqual([true, null, 'passed'])
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds })
  expect(rules.map(({ says }) => says)).toEqual([
    'bob',
    'neither it nor its owner is blocked',
    'bob: 0.2 USD a minute',
    'its prefix is open',
    'New_Country_Brake is off',
    'no limit',
    'bob: 1 of 2 calls run',
    'no limit',
    'bob: 7.8000 USD left',
  ])
  expect(await mayBobCall(world)).toMatchObject({ reason: 'calls_limit' })
})

test('holds whose time is over do not count, as they are dropped when a call lacks money', async () => {
  const world = await aControlledWorld(prepaidBob('0.2', { calls_limit: '1' }))
  const { authorize } = await aSwitch(world)
  await authorize({ call: 'one' })
  expect(await mayBobCall(world)).toMatchObject({ reason: 'calls_limit' })

  pass(world, 60 + 300 + 900 + 1)

  expect(await mayBobCall(world)).toMatchObject({ allow: true, seconds: 60 })
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 60 })
})

test('a number without a rate, one that is blocked, an emergency number and an unknown account', async () => {
  const given = prepaidBob('8', { blocked: '0' })
  const rates = [...(given.rates ?? []), rate({ prefix: '4490', tariff_rate: '-1' })]
  const world = await aControlledWorld({ ...given, rates })

  expect(await mayBobCall(world, '490123456')).toMatchObject({
    ...{ allow: false, reason: 'unknown_rate', seconds: 0 },
    rules: expect.arrayContaining([
      { rule: 'unknown_rate', state: 'refused', says: 'its CDR could not be rated, and would be suspended' },
    ]),
  })
  expect(await mayBobCall(world, '449012345678')).toMatchObject({
    reason: 'blocked_destination',
    rules: expect.arrayContaining([
      { rule: 'blocked_destination', state: 'refused', says: 'the rate of its prefix is -1' },
    ]),
  })
  expect(await mayBobCall(world, UK, 999)).toMatchObject({
    reason: 'unknown_account',
    rules: [{ state: 'refused', says: 'no account' }, ...Array(8).fill({ state: 'not_asked', says: '' })],
  })
  const emergency = await mayBobCall(world, '112')
  expect(emergency).toMatchObject({
    allow: true,
    rules: [
      { state: 'passed', says: 'bob' },
      ...Array(8).fill({ state: 'not_asked', says: 'an emergency number' }),
    ],
  })
})
