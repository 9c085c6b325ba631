import { expect, test } from 'vitest'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { method } from './location_rule_copy.ts'
import { method as create } from './location_rule_create.ts'
import { method as remove } from './location_rule_delete.ts'
import { method as ruleGet } from './location_rule_get.ts'

const COPIED = '<page><status><status>Rule copied</status></status></page>'

test('everything but id and location is copied', async () => {
  const world = await aRoutingWorld()
  const source = await world.call(ruleGet, 'admin', { location_rule_id: 100 })

  expect(await world.call(method, 'admin', { location_rule_id: 100, location_id: 3 })).toContain(COPIED)

  expect(await world.call(ruleGet, 'rita', { location_rule_id: 401 })).toBe(
    source.replace('<id>100</id><location_id>1<', '<id>401</id><location_id>3<'),
  )
  expect(await world.dump()).toContainEqual(
    expect.objectContaining({ PK: 'DEVICE#100', SK: 'DEVICE', location_rule_count: 2 }),
  )
})

test('a copy may overlap, and a new equal rule is possible only after both are deleted', async () => {
  const world = await aRoutingWorld()
  const rule = { location_id: 2, name: 'n', cut: '0', add: '49' }

  expect(await world.call(method, 'rick', { location_rule_id: 200, location_id: 2 })).toContain(COPIED)
  await world.call(remove, 'rick', { location_rule_id: 200 })
  expect(await world.call(create, 'rick', rule)).toContain('Rule must be unique')
  await world.call(remove, 'rick', { location_rule_id: 401 })
  expect(await world.call(create, 'rick', rule)).toContain('Rule added')
})

test.each([
  ['alice', 200, 4],
  ['rick', 200, 5],
  ['pat', 400, 4],
])('%s copies rule %i to location %i', async (caller, location_rule_id, location_id) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { location_rule_id, location_id })).toContain(COPIED)
})

test.each([
  ['nobody in particular', undefined, 100, 1, 'Access Denied'],
  ['a plain user', 'bob', 100, 1, 'You are not authorized to use this functionality'],
  ['an unknown rule', 'admin', 99, 1, 'Location rule was not found'],
  ['a blank rule', 'admin', '', 1, 'Location rule was not found'],
  ["admin's rule, by a reseller", 'rick', 100, 2, 'Location rule was not found'],
  ['a rule and a location that are unknown', 'alice', 99, 99, 'Location rule was not found'],
  ['an unknown location', 'admin', 100, 99, 'Location was not found'],
  ['a blank location', 'admin', 100, '', 'Location was not found'],
  ["admin's location, by a reseller", 'rick', 200, 1, 'Location was not found'],
  ["a reseller's location, by a partner", 'pat', 400, 2, 'Location was not found'],
])('refuses %s and stores nothing', async (_case, caller, location_rule_id, location_id, message) => {
  const world = await aRoutingWorld()

  expect(await world.callInVain(method, caller, { location_rule_id, location_id })).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})
