import { expect, test } from 'vitest'
import { billingCurrencies, exampleServices, exampleSubscriptions } from '#test/examples/billing-examples.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './subscriptions_get.ts'

const aWorldWithSubscriptions = () =>
  aWorld({
    users: people,
    currencies: billingCurrencies,
    devices: exampleDevices,
    services: exampleServices,
    subscriptions: exampleSubscriptions,
  })

const idsIn = (body: string) => [...body.matchAll(/<subscription><id>(\d+)</g)].map(([, id]) => Number(id))

test('a subscription prints its service, and the customer and device by name', async () => {
  const world = await aWorldWithSubscriptions()

  expect(await world.call(method, 'admin', { s_user_id: 10 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><status><subscriptions><subscription><id>9</id>' +
      '<user>Bob Brown</user><device>SIP/bobs-phone</device><service>Flat rate</service>' +
      '<from>2026-01-01 00:00:00</from><till>2026-12-31 23:59:59</till><memo>first &amp; last</memo>' +
      '<type>flat_rate</type><price>10.0</price><user_id>10</user_id>' +
      '</subscription></subscriptions></status></page>',
  )
})

test('a subscription without a device and an end leaves both blank', async () => {
  const world = await aWorldWithSubscriptions()

  expect(await world.call(method, 'rick', { s_user_id: 20 })).toContain(
    "<user>carol</user><device/><service>Rick's support</service><from>2026-01-01 00:00:00</from><till/><memo/>",
  )
})

test.each([
  ["admin sees everyone's", 'admin', {}, [2, 5, 7, 8, 9, 11]],
  ["the accountant sees those of admin's customers", 'alice', {}, [7, 8, 9]],
  ["a reseller sees its customers' and its own", 'rick', {}, [2, 7]],
  ["a partner sees its customers' and its own", 'pat', {}, [5, 8]],
  ["a reseller's customer, by admin", 'admin', { s_user_id: 20 }, [2]],
  ['a reseller itself', 'rick', { s_user_id: 2 }, [7]],
  ['user_id stands for s_user_id', 'admin', { user_id: 20 }, [2]],
  ['s_user_id comes before user_id', 'admin', { s_user_id: 10, user_id: 20 }, [9]],
  ['one service', 'admin', { service_id: 2 }, [2]],
  ['one service of one customer', 'rick', { s_user_id: 2, service_id: 1 }, [7]],
  ['blank filters are none', 'rick', { s_user_id: '', service_id: ' ' }, [2, 7]],
])('%s', async (_rule, caller, params, expected) => {
  const world = await aWorldWithSubscriptions()

  expect(idsIn(await world.call(method, caller, params))).toEqual(expected)
})

test.each([
  ['nobody in particular', undefined, {}, 'Access Denied'],
  ['a blocked account', 'ben', {}, 'Access Denied'],
  ['a plain user', 'bob', {}, 'You are not authorized to manage Subscriptions'],
  ["a reseller's customer, by the accountant", 'alice', { s_user_id: 20 }, 'No Subscriptions found'],
  ["another's customer", 'rick', { s_user_id: 30 }, 'No Subscriptions found'],
  ["admin's customer, by a partner", 'pat', { user_id: 10 }, 'No Subscriptions found'],
  ['an unknown customer', 'admin', { s_user_id: 12345 }, 'No Subscriptions found'],
  ['a customer that is not a number', 'admin', { s_user_id: 'ten' }, 'No Subscriptions found'],
  ['an unknown service', 'admin', { service_id: 77 }, 'No Subscriptions found'],
  ['a service that is not a number', 'admin', { service_id: 'flat' }, 'No Subscriptions found'],
  ['a reseller without any', 'rita', { service_id: 2 }, 'No Subscriptions found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithSubscriptions()

  expect(await world.call(method, caller, params)).toContain(
    `<page><status><error>${message}</error></status></page>`,
  )
})

test('the subscriptions of all owners are merged by id', async () => {
  const world = await aWorld()
  const owned = [10, 20, 30, 40]
  const many = Array.from({ length: 500 }, (_, id) => ({
    id: String(id),
    user_id: String(owned[(id * 7) % 4]),
    service_id: '1',
    from: '2026-01-01 00:00:00',
  }))
  await world.given({
    users: people,
    currencies: billingCurrencies,
    services: exampleServices,
    subscriptions: many,
  })

  expect(idsIn(await world.call(method, 'admin'))).toEqual(many.map(({ id }) => Number(id)))
})

test('one customer costs one read for each printed name', async () => {
  const world = await aWorldWithSubscriptions()

  await world.call(method, 'admin', { s_user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 7 }])
})
