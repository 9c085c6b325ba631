import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsXml, isVisibleName } from '#lib/base/text.ts'
import { exportOf, importOf, product } from '#test/datasets/exported.ts'
import { everything } from '#test/examples/everything.ts'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)

type Parameters = Readonly<Record<string, string | number>>

/** Requests in addition to one without parameters. */
const REQUESTS: Readonly<Record<string, readonly Parameters[]>> = {
  devices_get: [{ user_id: 10, show_hidden_devices: 1 }, { user_id: 20 }, { user_id: 2 }, { user_id: 40 }],
  device_details_get: [{ device_id: 100 }, { device_id: 200 }, { device_id: 402 }],
  device_rules_get: [{ device_id: 100 }, { device_id: 200 }],
  credit_notes_get: [{ user_id: 10 }],
  financial_statements_get: [{ date_from: 0 }, { user_id: 20, date_from: 0 }],
  payments_get: [{ s_from: 0 }, { s_user_id: 10, s_from: 0 }],
  invoices_get: [{ from: 0 }],
  subscriptions_get: [{ s_user_id: 10 }],
  local_calls_get: [{ from: 0 }],
  queue_log_get: [{ from: 0 }],
  user_calls_get: [{ period_start: 0 }, { s_user: 20, period_start: 0 }, { s_user: 10, period_start: 0 }],
  location_rule_get: [{ location_rule_id: 100 }, { location_rule_id: 401 }],
  location_rules_get: [{ location_id: 1 }, { location_id: 2 }],
  rate_get: [{ prefix: '37061', username: 'bob' }],
  tariff_rates_get: [{ tariff_id: 1 }, { tariff_id: 2 }],
  device_create: [{ user_id: 10, description: 'desk' }],
  device_update: [{ device: 100, comment: 'other' }],
  device_rule_create: [{ device_id: 100, name: 'New', cut: '1' }],
  device_rule_delete: [{ device_rule_id: 5 }],
  location_rule_create: [{ location_id: 1, name: 'New', cut: '77', lcr_id: 1 }],
  location_rule_copy: [{ location_rule_id: 100, location_id: 2 }],
  location_rule_update: [{ location_rule_id: 101, name: 'Other' }],
  location_rule_delete: [{ location_rule_id: 100 }],
  exchange_rate_update: [{ currency: 'EUR', rate: '0.7' }],
  device_delete: [{ device: 402 }],
}

const CALLERS = ['admin', 'alice', 'rick', 'rita', 'pat', 'bob', 'carol', undefined]

/** The answers of every method to every caller. Methods that write come last and run one after another. */
async function answersOf(world: World): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  const inOrder = [...methods].sort((one, other) => one.access.localeCompare(other.access))
  for (const method of inOrder.filter(({ name }) => name !== 'user_login'))
    for (const caller of CALLERS)
      for (const params of [{}, ...(REQUESTS[method.name] ?? [])])
        answers[`${method.name} ${caller} ${JSON.stringify(params)}`] = withoutRandomness(
          await world.call(method, caller, params),
        )
  return answers
}

/** Removes the passwords of new devices, which are random. */
const withoutRandomness = (answer: string): string =>
  answer.replaceAll(/<(\w*(?:secret|password))>[^<]*/g, '<$1>')

/** An installation with a history: accounts changed owners, and clients created and changed items. */
async function aLivedInWorld(text: string): Promise<World> {
  const world = await aWorld(
    {},
    {
      Devices_Check_Rate: '1',
      Queue_Log_Enabled: '1',
      Device_Range_MIN: '1000',
      Device_Range_MAX: '1100',
    },
  )
  const { active_calls, ...rows } = withText(text)
  await world.given(rows)
  await world.given({ users: [{ id: '20', owner_id: '3' }] })
  await world.given({ active_calls })
  await world.given({
    devices: [{ id: '402', user_id: '10', name: 'plain', host: '192.0.2.1', hidden: '1' }],
  })
  const call = (name: string, params: Parameters) => {
    const method = methods.find((one) => one.name === name)
    if (!method) throw new Error(`There is no method ${name}`)
    return world.call(method, 'admin', params)
  }
  await call('device_create', { user_id: 40, pin: '4711' })
  await call('device_update', { device: 200, comment: 'x', call_limit: 3 })
  await call('device_rule_create', { device_id: 100, name: 'n', add: '1' })
  await call('location_rule_copy', { location_rule_id: 101, location_id: 5 })
  await call('exchange_rate_update', { currency: 'GBP', rate: '0.71' })
  return world
}

const line = (text: string): string => text.replaceAll(/[\t\r\n]/g, ' ').slice(0, 200)

/** All rows, with the text in one column of every kind that accepts any text. */
const withText = (text: string) => ({
  ...everything,
  users: everything.users.map((user) => ({ ...user, last_name: text, tariff_id: '1' })),
  devices: everything.devices.map((device, index) => ({
    ...device,
    description: text,
    ...(index === 1 && { note: text }),
  })),
  rates: everything.rates.map((rate, index) => ({
    ...rate,
    destination: line(text),
    ...(index === 0 && {
      effective_from: '2026-10-25 00:30:00Z',
      start_time: '08:00:00',
      daytype: 'weekday',
    }),
  })),
  providers: [{ id: '1', name: isVisibleName(text) ? text : 'potomac', tariff_id: '1' }],
  queue_log: everything.queue_log.map((entry) => ({ ...entry, data1: text })),
  payments: everything.payments.map((payment) => ({ ...payment, comments_for_user: text })),
  credit_notes: everything.credit_notes.map((note) => ({ ...note, comment: text })),
  invoice_products: everything.invoice_products.map((row) => ({ ...row, name: text })),
})

const storable = hostileText.filter((text) => fitsXml(text) && !['\\N', '0000-00-00'].includes(text))

test('an export into an empty table gives the same answers for every method', async () => {
  await fc.assert(
    fc.asyncProperty(storable, async (text) => {
      const world = await aLivedInWorld(text)
      const { folder, said } = await exportOf(world)
      const copy = await importOf(folder)

      expect(said).toEqual([])
      expect(product(await copy.dump())).toEqual(product(await world.dump()))
      expect(await damageIn(copy)).toEqual([])
      expect(await answersOf(copy)).toEqual(await answersOf(world))
    }),
    { numRuns: 4, examples: [['NULL'], [`"'=1,2\r\n;\u2028 `]] },
  )
})
