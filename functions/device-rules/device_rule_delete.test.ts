import { expect, test } from 'vitest'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './device_rule_delete.ts'
import { method as rulesGet } from './device_rules_get.ts'

const DELETED = '<page><status><status>Device rule was successfully deleted</status></status></page>'

async function aWorldWithRules() {
  const world = await aWorld()
  const device_rules = [
    { id: '11', device_id: '100', name: 'one', cut: '1' },
    { id: '12', device_id: '100', name: 'two', cut: '2' },
    { id: '21', device_id: '200', name: 'of Carol', cut: '1' },
  ]
  await world.given({ users: people, devices: exampleDevices, device_rules })
  return world
}

test('a rule is deleted, and only that one', async () => {
  const world = await aWorldWithRules()

  expect(await world.call(method, 'admin', { device_rule_id: 11 })).toContain(DELETED)

  const rules = await world.call(rulesGet, 'admin', { device_id: 100 })
  expect(rules).toContain('<id>12</id>')
  expect(rules).not.toContain('<id>11</id>')
})

test('a reseller deletes a rule of its own device', async () => {
  const world = await aWorldWithRules()
  await world.given({ device_rules: [{ id: '22', device_id: '201', name: 'of Rick', cut: '1' }] })

  expect(await world.call(method, 'rick', { device_rule_id: 22 })).toContain(DELETED)
})

test.each([
  ['nobody in particular', undefined, { device_rule_id: 11 }, 'Access Denied'],
  ['a plain user', 'bob', { device_rule_id: 11 }, 'You are not authorized to use this functionality'],
  ['the accountant', 'alice', { device_rule_id: 11 }, 'You are not authorized to use this functionality'],
  ['a partner', 'pat', { device_rule_id: 11 }, 'You are not authorized to use this functionality'],
  ['no rule', 'admin', {}, 'Devicerule was not found'],
  ['an unknown rule', 'admin', { device_rule_id: 99 }, 'Devicerule was not found'],
  ['a foreign rule', 'rick', { device_rule_id: 11 }, 'Devicerule was not found'],
  ["a rule of a reseller's customer, by admin", 'admin', { device_rule_id: 21 }, 'Devicerule was not found'],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aWorldWithRules()

  expect(await world.callInVain(method, caller, params)).toContain(
    `<page><status><status><error>${message}</error></status></status></page>`,
  )
})
