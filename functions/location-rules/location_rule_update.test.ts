import { expect, test } from 'vitest'
import { exampleLocationRules } from '#test/examples/examples.ts'
import { aRoutingWorld } from '#test/examples/routing.ts'
import type { World } from '#test/world.ts'
import { method as create } from './location_rule_create.ts'
import { method as ruleGet } from './location_rule_get.ts'
import { method } from './location_rule_update.ts'

const updated = (id: number): string =>
  `<page><status><status>Rule updated (rule_id: ${id})</status></status></page>`

const printed = (world: World, location_rule_id: number) => world.call(ruleGet, 'admin', { location_rule_id })

test('only the fields that are sent change', async () => {
  const world = await aRoutingWorld()

  expect(
    await world.call(method, 'admin', { location_rule_id: 100, name: 'Renamed', enabled: '0', maxlen: '20' }),
  ).toContain(updated(100))
  expect(await printed(world, 100)).toContain(
    '<name>Renamed</name><enabled>0</enabled><cut>0</cut><add>370</add><minlen>5</minlen><maxlen>20</maxlen>' +
      '<lr_type>dst</lr_type><lcr_id/><tariff_id/><did_id/><device_id>100</device_id>' +
      '<change_callerid_name>1</change_callerid_name><src_cut/>',
  )
})

test('an imported name with blanks around it is unchanged', async () => {
  const world = await aRoutingWorld()
  await world.given({ location_rules: [{ ...exampleLocationRules[0], name: ' To Bob ' }] })

  await world.call(method, 'admin', { location_rule_id: 100, maxlen: '20' })

  expect(await printed(world, 100)).toContain('<name> To Bob </name>')
})

test.each([
  ['alice', 400],
  ['rick', 200],
  ['pat', 400],
])('%s changes rule %i', async (caller, location_rule_id) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { location_rule_id, name: 'Renamed' })).toContain(
    updated(location_rule_id),
  )
})

test('-1 removes each of the five assignments, and a blank id keeps it', async () => {
  const world = await aRoutingWorld()
  const targets = ['lcr_id', 'tariff_id', 'did_id', 'device_id', 'location_group_id']
  const all = (id: string) => Object.fromEntries(targets.map((target) => [target, id]))
  const assigned = { ...all('1'), device_id: '100' }
  await world.call(method, 'admin', { location_rule_id: 101, ...assigned })
  const before = await printed(world, 101)

  await world.call(method, 'admin', { location_rule_id: 101, ...all('') })
  expect(await printed(world, 101)).toBe(before)
  expect(before).toContain(
    '<lcr_id>1</lcr_id><tariff_id>1</tariff_id><did_id>1</did_id><device_id>100</device_id>',
  )

  await world.call(method, 'admin', { location_rule_id: 101, ...all('-1') })
  expect(await printed(world, 101)).toContain('<lcr_id/><tariff_id/><did_id/><device_id/>')
  expect(await printed(world, 101)).toContain('<location_group_id/>')
})

test('the device that a rule no longer uses can be deleted, the one it now uses cannot', async () => {
  const world = await aRoutingWorld()

  await world.call(method, 'admin', { location_rule_id: 100, device_id: 200 })

  const items = (await world.dump()) as { PK: string; SK: string }[]
  expect(items).toContainEqual(expect.objectContaining({ PK: 'DEVICE#100', location_rule_count: 0 }))
  expect(items).toContainEqual(expect.objectContaining({ PK: 'DEVICE#200', location_rule_count: 1 }))
  expect(items.filter(({ SK }) => SK.startsWith('LOCRULE#'))).toMatchObject([
    { PK: 'DEVICE#200', SK: 'LOCRULE#000000000000100' },
  ])
})

test('a rule keeps its unique lengths, and another rule can use them after it gives them up', async () => {
  const world = await aRoutingWorld()
  const old = { location_id: 2, name: 'n', cut: '0', add: '49' }

  await world.call(method, 'rick', { location_rule_id: 200, ...old, minlen: '3' })
  expect(await world.call(create, 'rick', old)).toContain('Rule must be unique')
  expect(await world.call(create, 'rick', { ...old, maxlen: '2' })).toContain('Rule added')

  await world.call(method, 'rick', { location_rule_id: 200, add: '44' })
  expect(await world.call(create, 'rick', { ...old, minlen: '3' })).toContain('Rule added')
})

test('a copy that already overlaps can be renamed', async () => {
  const world = await aRoutingWorld()
  await world.given({ location_rules: [{ id: '201', location_id: '2', name: 'Same', cut: '0', add: '49' }] })

  expect(await world.call(method, 'rick', { location_rule_id: 201, name: 'Other' })).toContain(updated(201))
})

const RULE = { location_rule_id: 100 }
const RICKS = { location_rule_id: 200 }

test.each([
  ['nobody in particular', undefined, RULE, 'Access Denied'],
  ['a blocked account', 'ben', RULE, 'Access Denied'],
  ['a plain user', 'bob', RULE, 'You are not authorized to use this functionality'],
  ['no rule', 'admin', {}, 'Location rule was not found'],
  ['an unknown rule', 'alice', { location_rule_id: 99 }, 'Location rule was not found'],
  ["admin's rule, by a reseller", 'rick', RULE, 'Location rule was not found'],
  ["a reseller's rule, by a partner", 'pat', RICKS, 'Location rule was not found'],
  ['a missing rule before a foreign object', 'rita', { ...RICKS, lcr_id: 1 }, 'Location rule was not found'],
  ["admin's LCR, by a reseller", 'rick', { ...RICKS, lcr_id: 1 }, 'Dont_be_so_smart'],
  ["another reseller's tariff", 'rick', { ...RICKS, tariff_id: 3 }, 'Dont_be_so_smart'],
  ["admin's DID, by a reseller", 'rick', { ...RICKS, did_id: 1 }, 'Dont_be_so_smart'],
  ["a partner's customer's device", 'rick', { ...RICKS, device_id: 400 }, 'Dont_be_so_smart'],
  ["admin's group, by a partner", 'pat', { location_rule_id: 400, location_group_id: 1 }, 'Dont_be_so_smart'],
  ['an unknown LCR', 'admin', { ...RULE, lcr_id: 99 }, 'LCR was not found'],
  ['an unknown tariff', 'alice', { ...RULE, tariff_id: 99 }, 'Tariff was not found'],
  ['an unknown DID', 'admin', { ...RULE, did_id: 'x' }, 'DID was not found'],
  ['an unknown device', 'admin', { ...RULE, device_id: '-2' }, 'Device was not found'],
  ['an unknown group', 'alice', { ...RULE, location_group_id: 99 }, 'Location Group was not found'],
  ['characters that XML cannot hold', 'admin', { ...RULE, name: 'a\u0007' }, 'name has invalid characters'],
  ['a foreign rule before those', 'rick', { ...RULE, name: 'a\u0007' }, 'Location rule was not found'],
  ['a blank name before an unknown LCR', 'admin', { ...RULE, name: ' ', lcr_id: 99 }, 'Rule must have name'],
  ['letters in cut', 'admin', { ...RULE, cut: 'x' }, 'cut is invalid'],
  ['letters in add', 'admin', { ...RULE, add: 'x' }, 'add is invalid'],
  ['a length of letters', 'admin', { ...RULE, minlen: 'x' }, 'minlen is invalid'],
  ['a lower bound above the upper one', 'admin', { ...RULE, minlen: '10' }, 'minlen is invalid'],
  ['an upper bound below the lower one', 'admin', { ...RULE, maxlen: '4' }, 'maxlen is invalid'],
  [
    "the caller's lengths that cross",
    'admin',
    { location_rule_id: 101, src_minlen: '9', src_maxlen: '8' },
    'src_maxlen is invalid',
  ],
  ['an unknown type', 'admin', { ...RULE, lr_type: 'x' }, 'lr_type is invalid'],
  ['an unknown switch', 'admin', { ...RULE, change_callerid_name: '2' }, 'change_callerid_name is invalid'],
  ['letters in src_cut', 'admin', { ...RULE, src_cut: 'x' }, 'src_cut is invalid'],
  ['letters in src_add', 'admin', { ...RULE, src_add: 'x' }, 'src_add is invalid'],
  ["the caller's length of letters", 'admin', { ...RULE, src_minlen: 'x' }, 'src_minlen is invalid'],
  ['a blank enabled', 'admin', { ...RULE, enabled: '' }, 'enabled is invalid'],
  ['enabled in words', 'rick', { ...RICKS, enabled: 'yes' }, 'enabled is invalid'],
  [
    'an ill-typed field before enabled',
    'admin',
    { ...RULE, enabled: 'x', src_maxlen: 'x' },
    'src_maxlen is invalid',
  ],
  ['nothing left to do', 'rick', { ...RICKS, cut: '', add: '' }, 'Cut and Add cannot be empty'],
  [
    'the last target taken away',
    'admin',
    { location_rule_id: 101, lcr_id: '-1', src_cut: '' },
    'Cut and Add cannot be empty',
  ],
  [
    "another rule's digits",
    'admin',
    { location_rule_id: 101, lr_type: 'dst', cut: '0', add: '370', did_id: 99 },
    'Rule must be unique',
  ],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aRoutingWorld()

  expect(await world.callInVain(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})

test('a change of everything takes five round trips', async () => {
  const world = await aRoutingWorld()

  await world.call(method, 'admin', {
    ...RULE,
    cut: '8',
    lcr_id: 1,
    tariff_id: 1,
    did_id: 1,
    device_id: 200,
    location_group_id: 1,
  })

  expect(world.log).toMatchObject([{ outcome: 'answered', round_trips: 5, read_units: 12 }])
})
