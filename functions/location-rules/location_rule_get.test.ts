import { expect, test } from 'vitest'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { method } from './location_rule_get.ts'

test('a rule is printed column by column', async () => {
  const world = await aRoutingWorld()

  expect(await world.call(method, 'admin', { location_rule_id: 100 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><status><location_rule><id>100</id><location_id>1</location_id>' +
      '<name>To Bob</name><enabled>1</enabled><cut>0</cut><add>370</add><minlen>5</minlen><maxlen>9</maxlen>' +
      '<lr_type>dst</lr_type><lcr_id/><tariff_id/><did_id/><device_id>100</device_id>' +
      '<change_callerid_name>1</change_callerid_name><src_cut/><src_add/><src_minlen>1</src_minlen>' +
      '<src_maxlen>99</src_maxlen><location_group_id/></location_rule></status></page>',
  )
})

test.each([
  ['admin', 200],
  ['alice', 400],
  ['rick', 200],
  ['pat', 400],
])('%s reads rule %i', async (caller, location_rule_id) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { location_rule_id })).toContain(`<id>${location_rule_id}</id>`)
})

test.each([
  ['nobody in particular', undefined, { location_rule_id: 100 }, 'Access Denied'],
  ['a blocked account', 'ben', { location_rule_id: 100 }, 'Access Denied'],
  ['a plain user', 'bob', { location_rule_id: 100 }, 'You are not authorized to use this functionality'],
  ['no rule', 'admin', {}, 'Location rule was not found'],
  ['an unknown rule', 'admin', { location_rule_id: 99 }, 'Location rule was not found'],
  ['an id that is not a number', 'admin', { location_rule_id: '1e2' }, 'Location rule was not found'],
  ["admin's rule, by a reseller", 'rick', { location_rule_id: 100 }, 'Location rule was not found'],
  ["another reseller's rule", 'rita', { location_rule_id: 200 }, 'Location rule was not found'],
  ["a reseller's rule, by a partner", 'pat', { location_rule_id: 200 }, 'Location rule was not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})

test('a rule costs five read units', async () => {
  const world = await aRoutingWorld()

  await world.call(method, 'rick', { location_rule_id: 200 })

  expect(world.log).toMatchObject([{ outcome: 'answered', read_units: 5 }])
})
