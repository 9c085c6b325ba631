import { expect, test } from 'vitest'
import { billingCurrencies, exampleServices } from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './services_get.ts'

const aWorldWithServices = () =>
  aWorld({ users: people, currencies: billingCurrencies, services: exampleServices })

test('the catalogue is listed by id, with all digits of prices', async () => {
  const world = await aWorldWithServices()

  expect(await world.call(method, 'admin')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><services>' +
      '<service><id>1</id><name>Flat rate</name><memo>all &lt;calls&gt;</memo><type>flat_rate</type>' +
      '<period>monthly</period><price>10.0</price><self_cost>0.987</self_cost><currency>EUR</currency>' +
      '<quantity>2</quantity></service>' +
      "<service><id>2</id><name>Rick's support</name><memo/><type>periodic_fee</type><period>monthly</period>" +
      '<price>4.5</price><self_cost>0.0</self_cost><currency>USD</currency><quantity>1</quantity></service>' +
      "<service><id>3</id><name>Pat's line</name><memo/><type>one_time_fee</type><period/>" +
      '<price>0.0000001</price><self_cost>0.0</self_cost><currency>USD</currency><quantity>1</quantity></service>' +
      '</services></page>',
  )
})

test.each([
  ['admin sees those of every owner', 'admin', ['1', '2', '3']],
  ["the accountant sees admin's", 'alice', ['1']],
  ['a reseller sees its own', 'rick', ['2']],
  ['a partner sees its own', 'pat', ['3']],
])('%s', async (_rule, caller, expected) => {
  const world = await aWorldWithServices()
  const body = await world.call(method, caller)

  expect([...body.matchAll(/<service><id>(\d+)</g)].map(([, id]) => id)).toEqual(expected)
})

test.each([
  ['nobody in particular', undefined, 'Access Denied'],
  ['a blocked account', 'ben', 'Access Denied'],
  ['a plain user', 'bob', 'Access Denied'],
  ['an owner without services', 'rita', 'No Services found'],
])('refuses %s', async (_case, caller, message) => {
  const world = await aWorldWithServices()

  expect(await world.call(method, caller)).toContain(
    `<page><status><error>${message}</error></status></page>`,
  )
})

test('a service that gets another owner leaves the catalogue of its former owner', async () => {
  const world = await aWorldWithServices()
  await world.given({ services: [{ id: '2', owner_id: '3', name: 'Support' }] })

  expect(await world.call(method, 'rita')).toContain('<name>Support</name>')
  expect(await world.call(method, 'rick')).toContain('No Services found')
})

test('a catalogue costs the read units of its services', async () => {
  const world = await aWorldWithServices()

  await world.call(method, 'rick')

  expect(world.log).toMatchObject([{ read_units: 2.5 }])
})
