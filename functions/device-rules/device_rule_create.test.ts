import { expect, test } from 'vitest'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './device_rule_create.ts'
import { method as rulesGet } from './device_rules_get.ts'

const ADDED = '<page><status><status>Rule added</status></status></page>'

const aWorldWithDevices = () => aWorld({ users: people, devices: exampleDevices })

test.each([
  [
    { name: ' spaced ', cut: '007' },
    '<enabled>1</enabled><pr_type>dst</pr_type><name>spaced</name><cut>007</cut><add/><minlen>1</minlen><maxlen>100</maxlen>',
  ],
  [{ name: 'n', add: '*#+5', pr_type: 'src' }, '<pr_type>src</pr_type><name>n</name><cut/><add>*#+5</add>'],
  [{ name: 'n', cut: '1', add: '2', minlen: '5', maxlen: '5' }, '<minlen>5</minlen><maxlen>5</maxlen>'],
  [
    { name: 'n', cut: '1', minlen: '', pr_type: '' },
    '<pr_type>dst</pr_type><name>n</name><cut>1</cut><add/><minlen>1</minlen>',
  ],
])('the parameters %j become the expected columns', async (params, expected) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, 'admin', { device_id: 100, ...params })).toContain(ADDED)
  expect(await world.call(rulesGet, 'admin', { device_id: 100 })).toContain(expected)
})

test.each([200, 201])(
  'a reseller may add rules to the devices of its customers and its own: %i',
  async (device_id) => {
    const world = await aWorldWithDevices()

    expect(await world.call(method, 'rick', { device_id, name: 'n', cut: '1' })).toContain(ADDED)
  },
)

test.each([
  ['nobody in particular', undefined, {}, 'Access Denied'],
  ['a plain user', 'bob', {}, 'You are not authorized to use this functionality'],
  ['the accountant', 'alice', {}, 'You are not authorized to use this functionality'],
  ['a partner', 'pat', { device_id: 400 }, 'You are not authorized to use this functionality'],
  ['no device', 'admin', { device_id: '' }, 'Device was not found'],
  ["a reseller's customer's device, by admin", 'admin', { device_id: 200 }, 'Device was not found'],
  ["another reseller's customer's device", 'rita', { device_id: 200 }, 'Device was not found'],
  ['a blank name', 'admin', { name: ' ' }, 'name cannot be blank'],
  ['no cut and no add', 'admin', { cut: '' }, 'both add and cut cannot be blank'],
  ['letters in cut', 'admin', { cut: '1a' }, 'cut is invalid'],
  ['a plus in cut', 'admin', { cut: '+1' }, 'cut is invalid'],
  ['letters in add', 'admin', { add: 'abc' }, 'add is invalid'],
  ['an unknown type', 'admin', { pr_type: 'both' }, 'pr_type is invalid'],
  ['letters in minlen', 'admin', { minlen: 'x' }, 'Invalid length'],
  ['minlen above maxlen', 'admin', { minlen: '9', maxlen: '8' }, 'Invalid length'],
  ['characters that XML cannot hold', 'admin', { name: 'a\u0008' }, 'name has invalid characters'],
  [
    'a missing device before such characters',
    'admin',
    { device_id: 99, name: 'a\u0008' },
    'Device was not found',
  ],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aWorldWithDevices()

  expect(
    await world.callInVain(method, caller, { device_id: 100, name: 'n', cut: '1', ...params }),
  ).toContain(`<page><status><status><error>${message}</error></status></status></page>`)
})

test('a device has at most eighty rules, also when they are created at the same time', async () => {
  const world = await aWorldWithDevices()
  const rules = Array.from({ length: 78 }, (_, id) => ({
    id: String(id),
    device_id: '100',
    name: 'n',
    cut: '1',
  }))
  await world.given({ device_rules: rules })

  const answers = await Promise.all(
    Array.from({ length: 4 }, () => world.call(method, 'admin', { device_id: 100, name: 'n', cut: '1' })),
  )

  expect(answers.filter((body) => body.includes(ADDED))).toHaveLength(2)
  expect(answers.flatMap((body) => body.match(/<error>[^<]*/g) ?? [])).toEqual(
    Array(2).fill('<error>Rule limit is reached'),
  )
})
