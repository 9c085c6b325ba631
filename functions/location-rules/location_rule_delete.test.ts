import { expect, test } from 'vitest'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { method as create } from './location_rule_create.ts'
import { method } from './location_rule_delete.ts'
import { method as update } from './location_rule_update.ts'

const DELETED = '<page><status><status>Rule deleted</status></status></page>'

test('a deleted rule leaves nothing, including its entry at the device', async () => {
  const world = await aRoutingWorld()

  expect(await world.call(method, 'admin', { location_rule_id: 100 })).toContain(DELETED)

  const left = (await world.dump()) as { PK: string; SK: string }[]
  const names = left.map(({ PK, SK }) => `${PK} ${SK}`)
  expect(
    names.filter((name) => /^LOCRULE#100 |^DEVICE#100 LOCRULE|^LOCATION#1 .*(100|dst)/.test(name)),
  ).toEqual([])
  expect(left).toContainEqual(
    expect.objectContaining({ PK: 'DEVICE#100', SK: 'DEVICE', location_rule_count: 0 }),
  )
})

test('a rule equal to a deleted one can be created', async () => {
  const world = await aRoutingWorld()
  await world.call(method, 'rick', { location_rule_id: 200 })

  expect(await world.call(create, 'rick', { location_id: 2, name: 'n', cut: '0', add: '49' })).toContain(
    'Rule added',
  )
})

test.each([
  ['alice', 200],
  ['rick', 200],
  ['pat', 400],
])('%s deletes rule %i', async (caller, location_rule_id) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { location_rule_id })).toContain(DELETED)
})

test.each([
  ['nobody in particular', undefined, { location_rule_id: 100 }, 'Access Denied'],
  ['a plain user', 'bob', { location_rule_id: 100 }, 'You are not authorized to use this functionality'],
  ['no rule', 'admin', {}, 'Location rule was not found'],
  ['an unknown rule', 'admin', { location_rule_id: 99 }, 'Location rule was not found'],
  ["admin's rule, by a reseller", 'rick', { location_rule_id: 100 }, 'Location rule was not found'],
  ["a partner's rule, by a reseller", 'rick', { location_rule_id: 400 }, 'Location rule was not found'],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aRoutingWorld()

  expect(await world.callInVain(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})

test('a rule that is changed during its deletion leaves nothing', async () => {
  const world = await aRoutingWorld()

  const [deleted, changed] = await Promise.all([
    world.call(method, 'admin', { location_rule_id: 100 }),
    world.call(update, 'admin', { location_rule_id: 100, cut: '5', device_id: 200 }),
  ])

  expect(deleted).toContain(DELETED)
  expect(changed).toMatch(/Rule updated|Location rule was not found/)
  const names = ((await world.dump()) as { PK: string; SK: string }[]).map(({ PK, SK }) => `${PK} ${SK}`)
  expect(names.filter((name) => /LOCRULE#0*100\b|RULE#0*100$|LOCATION#1 LENGTHS#dst/.test(name))).toEqual([])
})
