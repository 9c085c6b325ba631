import { expect, test } from 'vitest'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { method } from './location_rule_create.ts'
import { method as ruleGet } from './location_rule_get.ts'

const idIn = (body: string): string =>
  /<page><status><status>Rule added \(rule_id: (\d+)\)<\/status><\/status><\/page>$/.exec(body)?.[1] ?? body

test('every parameter is stored in its column', async () => {
  const world = await aRoutingWorld()

  const created = await world.call(method, 'admin', {
    location_id: 1,
    name: ' All of <it> ',
    cut: '00#',
    add: '*31',
    minlen: '3',
    maxlen: '12',
    lr_type: 'combined',
    lcr_id: '1',
    tariff_id: '1',
    did_id: '1',
    device_id: '100',
    change_callerid_name: '1',
    src_cut: '0',
    src_add: '370',
    src_minlen: '4',
    src_maxlen: '15',
    location_group_id: '1',
  })

  expect(idIn(created)).toBe('401')
  expect(await world.call(ruleGet, 'admin', { location_rule_id: 401 })).toContain(
    '<location_rule><id>401</id><location_id>1</location_id><name>All of &lt;it&gt;</name><enabled>1</enabled>' +
      '<cut>00#</cut><add>*31</add><minlen>3</minlen><maxlen>12</maxlen><lr_type>combined</lr_type><lcr_id>1</lcr_id>' +
      '<tariff_id>1</tariff_id><did_id>1</did_id><device_id>100</device_id>' +
      '<change_callerid_name>1</change_callerid_name><src_cut>0</src_cut><src_add>370</src_add>' +
      '<src_minlen>4</src_minlen><src_maxlen>15</src_maxlen><location_group_id>1</location_group_id></location_rule>',
  )
})

test('missing and blank parameters have their defaults; a rule cannot be created disabled', async () => {
  const world = await aRoutingWorld()
  const blank = {
    minlen: '',
    lr_type: ' ',
    change_callerid_name: '',
    lcr_id: '',
    device_id: '-1',
    enabled: '0',
  }

  const id = idIn(await world.call(method, 'rick', { location_id: 5, name: 'n', cut: '0', ...blank }))

  expect(await world.call(ruleGet, 'rick', { location_rule_id: id })).toContain(
    '<enabled>1</enabled><cut>0</cut><add/><minlen>1</minlen><maxlen>99</maxlen><lr_type>dst</lr_type><lcr_id/>' +
      '<tariff_id/><did_id/><device_id/><change_callerid_name>0</change_callerid_name><src_cut/><src_add/>' +
      '<src_minlen>1</src_minlen><src_maxlen>99</src_maxlen><location_group_id/>',
  )
})

test.each([
  ['its own LCR', 'rick', { location_id: 5, lcr_id: '2' }],
  ['its own tariff', 'rick', { location_id: 5, tariff_id: '2' }],
  ['its own DID', 'rick', { location_id: 5, did_id: '2' }],
  ["its customer's device", 'rick', { location_id: 5, device_id: '200' }],
  ['its own device', 'rick', { location_id: 5, device_id: '201' }],
  ['its own location group', 'rick', { location_id: 5, add: '1', location_group_id: '2' }],
  ['everything of a partner', 'pat', { location_id: 4, lcr_id: '4', device_id: '400' }],
  [
    "a reseller's things, by admin",
    'admin',
    { location_id: 1, lcr_id: '2', tariff_id: '3', device_id: '200' },
  ],
  [
    "a reseller's location, by the accountant",
    'alice',
    { location_id: 2, did_id: '3', location_group_id: '4' },
  ],
])('a rule may use %s', async (_case, caller, params) => {
  const world = await aRoutingWorld()

  expect(await world.call(method, caller, { name: 'n', ...params })).toContain('Rule added (rule_id: 401)')
})

const RULE = { location_id: 1, name: 'n', cut: '9' }
const RICKS = { ...RULE, location_id: 2 }

test.each([
  ['nobody in particular', undefined, RULE, 'Access Denied'],
  ['a blocked account', 'ben', RULE, 'Access Denied'],
  ['a plain user', 'bob', RULE, 'You are not authorized to use this functionality'],
  ['no location', 'admin', { name: 'n', cut: '9' }, 'Location was not found'],
  ['an unknown location', 'alice', { ...RULE, location_id: 99 }, 'Location was not found'],
  ['a location that is not a number', 'admin', { ...RULE, location_id: '1.0' }, 'Location was not found'],
  ["admin's location, by a reseller", 'rick', RULE, 'Location was not found'],
  ["a reseller's location, by a partner", 'pat', RICKS, 'Location was not found'],
  ["another reseller's location", 'rita', RICKS, 'Location was not found'],
  ["admin's LCR, by a reseller", 'rick', { ...RICKS, lcr_id: 1 }, 'Dont_be_so_smart'],
  ["admin's tariff, by a reseller", 'rick', { ...RICKS, tariff_id: 1 }, 'Dont_be_so_smart'],
  ["another reseller's DID", 'rick', { ...RICKS, did_id: 3 }, 'Dont_be_so_smart'],
  ["admin's customer's device, by a reseller", 'rick', { ...RICKS, device_id: 100 }, 'Dont_be_so_smart'],
  ["a partner's group, by a reseller", 'rick', { ...RICKS, location_group_id: 4 }, 'Dont_be_so_smart'],
  ['an unknown LCR, by a reseller', 'rick', { ...RICKS, lcr_id: 99 }, 'Dont_be_so_smart'],
  ['an LCR that is not a number, by a reseller', 'rick', { ...RICKS, lcr_id: 'x' }, 'Dont_be_so_smart'],
  ["admin's LCR, by a partner", 'pat', { ...RULE, location_id: 4, lcr_id: 1 }, 'Dont_be_so_smart'],
  ['one foreign of five', 'pat', { ...RULE, location_id: 4, lcr_id: 4, device_id: 200 }, 'Dont_be_so_smart'],
  ['an unknown LCR', 'admin', { ...RULE, lcr_id: 99 }, 'LCR was not found'],
  ['an unknown tariff', 'alice', { ...RULE, tariff_id: 99 }, 'Tariff was not found'],
  ['an unknown DID', 'admin', { ...RULE, did_id: '99' }, 'DID was not found'],
  ['an unknown device', 'alice', { ...RULE, device_id: 99 }, 'Device was not found'],
  ['an unknown group', 'admin', { ...RULE, location_group_id: 99 }, 'Location Group was not found'],
  ['an endless id', 'admin', { ...RULE, lcr_id: '9'.repeat(5000) }, 'LCR was not found'],
  ['an id that is not a number', 'admin', { ...RULE, device_id: '1e2' }, 'Device was not found'],
  ['the first of several unknown', 'admin', { ...RULE, device_id: 99, lcr_id: 99 }, 'LCR was not found'],
  ['no name before an unknown LCR', 'admin', { location_id: 1, cut: '9', lcr_id: 99 }, 'Rule must have name'],
  [
    'an equal rule before an unknown DID',
    'admin',
    { ...RULE, cut: '0', add: '370', did_id: 99 },
    'Rule must be unique',
  ],
  ['a foreign object before a missing name', 'rick', { ...RICKS, name: '', lcr_id: 1 }, 'Dont_be_so_smart'],
  ['no name', 'admin', { location_id: 1, cut: '9' }, 'Rule must have name'],
  ['a blank name', 'rick', { ...RICKS, name: '  ' }, 'Rule must have name'],
  ['a missing name before an ill-typed cut', 'admin', { location_id: 1, cut: 'x' }, 'Rule must have name'],
  ['letters in cut', 'admin', { ...RULE, cut: '9a' }, 'cut is invalid'],
  ['a plus in add', 'admin', { ...RULE, add: '+370' }, 'add is invalid'],
  ['an endless add', 'admin', { ...RULE, add: '1'.repeat(101) }, 'add is invalid'],
  ['letters in src_cut', 'admin', { ...RULE, src_cut: 'x' }, 'src_cut is invalid'],
  ['letters in src_add', 'admin', { ...RULE, src_add: 'x' }, 'src_add is invalid'],
  ['no length', 'admin', { ...RULE, minlen: '0' }, 'minlen is invalid'],
  ['a negative length', 'admin', { ...RULE, src_minlen: '-1' }, 'src_minlen is invalid'],
  ['a length of letters', 'admin', { ...RULE, maxlen: 'x' }, 'maxlen is invalid'],
  ['too large a length', 'admin', { ...RULE, maxlen: '100' }, 'maxlen is invalid'],
  ['a huge length', 'admin', { ...RULE, src_maxlen: '1'.repeat(400) }, 'src_maxlen is invalid'],
  ['lengths that cross', 'admin', { ...RULE, minlen: '9', maxlen: '8' }, 'maxlen is invalid'],
  [
    "the caller's lengths that cross",
    'admin',
    { ...RULE, src_minlen: '9', src_maxlen: '8' },
    'src_maxlen is invalid',
  ],
  ['an unknown type', 'admin', { ...RULE, lr_type: 'both' }, 'lr_type is invalid'],
  ['a switch in words', 'admin', { ...RULE, change_callerid_name: 'yes' }, 'change_callerid_name is invalid'],
  ['the first of several ill-typed', 'admin', { ...RULE, maxlen: 'x', add: 'x' }, 'add is invalid'],
  ['characters that XML cannot hold', 'admin', { ...RULE, name: 'a\u0007' }, 'name has invalid characters'],
  [
    'an unknown location before those',
    'admin',
    { ...RULE, location_id: 99, name: 'a\u0007' },
    'Location was not found',
  ],
  ['an endless name', 'admin', { ...RULE, name: 'n'.repeat(4001) }, 'name is invalid'],
  ['nothing to do', 'admin', { location_id: 1, name: 'n' }, 'Cut and Add cannot be empty'],
  ['blank digits', 'rick', { ...RICKS, cut: '', add: ' ', src_cut: '' }, 'Cut and Add cannot be empty'],
  [
    'nothing but a group',
    'admin',
    { location_id: 1, name: 'n', location_group_id: 1, change_callerid_name: '1', lcr_id: '-1' },
    'Cut and Add cannot be empty',
  ],
  ['an equal rule', 'rick', { ...RICKS, cut: '0', add: '49' }, 'Rule must be unique'],
  [
    'overlapping lengths',
    'admin',
    { ...RULE, cut: '0', add: '370', minlen: '9', lcr_id: '1' },
    'Rule must be unique',
  ],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aRoutingWorld()

  expect(await world.callInVain(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})

test.each([
  ['longer numbers', { minlen: '10' }],
  ['shorter numbers', { maxlen: '4' }],
  ['another type', { lr_type: 'src' }],
  ['another cut', { cut: '00' }],
  ['another add', { add: '371' }],
  ['another location', { location_id: 2 }],
])('a rule is not a duplicate with %s', async (_case, params) => {
  const world = await aRoutingWorld()

  expect(
    await world.call(method, 'admin', { location_id: 1, name: 'n', cut: '0', add: '370', ...params }),
  ).toContain('Rule added')
})

test('a # at the end of cut or at the start of add makes different rules', async () => {
  const world = await aRoutingWorld()
  const rules = [
    { cut: '1#', add: '2' },
    { cut: '1', add: '#2' },
  ]

  const answers = await Promise.all(
    rules.map((rule) => world.call(method, 'rick', { location_id: 5, name: 'n', ...rule })),
  )

  expect(answers.every((body) => body.includes('Rule added'))).toBe(true)
})

test('a rule that names five objects takes five round trips, for a location of any size', async () => {
  const world = await aRoutingWorld()
  await world.given({
    location_rules: Array.from({ length: 200 }, (_, index) => ({
      id: String(500 + index),
      location_id: '2',
      name: 'Another one '.repeat(50),
      cut: `1${index}`,
    })),
  })

  await world.call(method, 'rick', {
    ...RICKS,
    lcr_id: 2,
    tariff_id: 2,
    did_id: 2,
    device_id: 200,
    location_group_id: 2,
  })

  expect(world.log).toMatchObject([{ outcome: 'answered', round_trips: 5, read_units: 9 }])
})
