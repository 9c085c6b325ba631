import { expect, test } from 'vitest'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './device_rules_get.ts'

const device_rules = [
  { id: '12', device_id: '100', name: 'later', cut: '00', add: '', enabled: '0', minlen: '3', maxlen: '9' },
  { id: '11', device_id: '100', name: 'first & <only>', cut: '', add: '*370', pr_type: 'src' },
  { id: '21', device_id: '200', name: 'of Carol', cut: '1' },
]

const aWorldWithRules = () => aWorld({ users: people, devices: exampleDevices, device_rules })

test("a device's rules are listed by id", async () => {
  const world = await aWorldWithRules()

  expect(await world.call(method, 'admin', { device_id: 100 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><status><device_rules>' +
      '<device_rule><id>11</id><device_id>100</device_id><enabled>1</enabled><pr_type>src</pr_type>' +
      '<name>first &amp; &lt;only&gt;</name><cut/><add>*370</add><minlen>1</minlen><maxlen>100</maxlen></device_rule>' +
      '<device_rule><id>12</id><device_id>100</device_id><enabled>0</enabled><pr_type>dst</pr_type>' +
      '<name>later</name><cut>00</cut><add/><minlen>3</minlen><maxlen>9</maxlen></device_rule>' +
      '</device_rules></status></page>',
  )
  expect(world.log).toMatchObject([{ read_units: 4 }])
})

test('a reseller sees the rules of its customers, and those of its own devices', async () => {
  const world = await aWorldWithRules()
  await world.given({ device_rules: [{ id: '22', device_id: '201', name: 'of Rick', cut: '1' }] })

  expect(await world.call(method, 'rick', { device_id: 200 })).toContain('<name>of Carol</name>')
  expect(await world.call(method, 'rick', { device_id: 201 })).toContain('<name>of Rick</name>')
})

test.each([
  ['nobody in particular', undefined, { device_id: 100 }, 'Access Denied'],
  ['a plain user', 'bob', { device_id: 100 }, 'You are not authorized to use this functionality'],
  ['the accountant', 'alice', { device_id: 100 }, 'You are not authorized to use this functionality'],
  ['a partner', 'pat', { device_id: 400 }, 'You are not authorized to use this functionality'],
  ['no device', 'admin', {}, 'Device was not found'],
  ['an unknown device', 'admin', { device_id: 99 }, 'Device was not found'],
  ["a reseller's customer's device, by admin", 'admin', { device_id: 200 }, 'Device was not found'],
  ['a device without rules', 'admin', { device_id: 101 }, 'Device has no rules'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithRules()
  await world.given({ devices: [{ ...exampleDevices[0], id: '101', name: 'bare', extension: '1101' }] })

  expect(await world.call(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})
