import { expect, test } from 'vitest'
import {
  billingCurrencies,
  exampleCreditNotes,
  exampleInvoices,
  examplePayments,
} from '#test/examples/billing-examples.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method]))

const [first] = people
const ANN = { ...first, id: '5', username: 'ann', owner_id: '0' }

async function aWorldOfTwoAdmins(): Promise<World> {
  const world = await aWorld(
    {
      users: [...people, ANN].map((person) => ({ ...person, tariff_id: '1' })),
      currencies: billingCurrencies,
      tariffs: [
        { id: '1', name: 'Retail', owner_id: '0' },
        { id: '2', name: 'of Rick', owner_id: '2' },
      ],
      rates: [{ tariff_id: '1', prefix: '370', destination: 'Lithuania', tariff_rate: '1' }],
      devices: exampleDevices,
      device_rules: [{ id: '1', device_id: '100', name: 'n', cut: '1' }],
      locations: [{ id: '1', name: 'Here', owner_id: '0' }],
      location_rules: [{ id: '1', location_id: '1', name: 'n', cut: '1' }],
      services: [{ id: '1', name: 'Line', owner_id: '0' }],
      subscriptions: [{ id: '1', user_id: '10', service_id: '1', from: '2026-03-01 00:00:00' }],
      local_calls: [
        {
          uniqueid: 'x',
          calldate: '2026-03-10 09:00:00',
          originator_user_id: '30',
          terminator_user_id: '30',
        },
      ],
      queue_log: [{ id: '1', time: '2026-03-10 09:00:00', call_id: 'x' }],
      payments: examplePayments,
      credit_notes: exampleCreditNotes,
      invoices: exampleInvoices,
    },
    { Devices_Check_Rate: '1', Queue_Log_Enabled: '1' },
  )
  return world
}

const call = (world: World, caller: string, [name, params]: [string, Record<string, string | number>]) => {
  const method = methods.get(name)
  if (!method) throw new Error(`There is no method ${name}`)
  return world.call(method, caller, params)
}

test.each<[string, Record<string, string | number>]>([
  ['devices_get', { user_id: 10 }],
  ['devices_get', { user_id: 20 }],
  ['device_details_get', { device_id: 100 }],
  ['device_rules_get', { device_id: 100 }],
  ['rate_get', { username: 'carol', prefix: '370' }],
  ['tariff_rates_get', { tariff_id: 2 }],
  ['tariff_rates_get', { user_id: 10 }],
  ['location_rules_get', { location_id: 1 }],
  ['location_rule_get', { location_rule_id: 1 }],
  ['quickstats_get', {}],
  ['active_calls_get', {}],
  ['local_calls_get', {}],
  ['queue_log_get', {}],
  ['credit_notes_get', {}],
  ['payments_get', {}],
  ['payments_get', { s_user_id: 10 }],
  ['payments_get', { s_user_id: 0 }],
  ['financial_statements_get', {}],
  ['invoices_get', {}],
  ['services_get', {}],
  ['subscriptions_get', {}],
])('a second admin gets the same answer as admin from %s with %j', async (...request) => {
  const world = await aWorldOfTwoAdmins()

  expect(await call(world, 'ann', request)).toBe(await call(world, 'admin', request))
})

test('a second admin creates, changes and deletes for customers of admin only', async () => {
  const world = await aWorldOfTwoAdmins()

  expect(await call(world, 'ann', ['device_create', { user_id: 10 }])).toContain('device_created')
  expect(await call(world, 'ann', ['device_update', { device: 100, comment: 'x' }])).toContain('updated')
  expect(await call(world, 'ann', ['device_rule_create', { device_id: 100, name: 'm', cut: '2' }])).toContain(
    'added',
  )
  expect(await call(world, 'ann', ['device_delete', { device: 200 }])).toContain('Dont_be_so_smart')
})
