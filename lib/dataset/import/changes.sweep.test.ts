import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashPassword } from '#lib/accounts/password.ts'
import type { Method } from '#lib/api/method.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import type { FileName } from './files.ts'

/** Others change the table between a dry run and its import, and a dry run rates no calls. */
const UNFORESEEN = { unforeseen: true }

/** The number of sequences of changes. Each sequence has its own table. */
const RUNS = Number(process.env['TOLLGATE_RUNS'] ?? 12)

const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method as Method]))
const password_hash = await hashPassword('of the tests')

const text = (...values: readonly string[]) => fc.constantFrom(...values)
const ids = (...values: readonly number[]) => text(...values.map(String))

const CUSTOMERS = [10, 11, 20, 30, 50] as const
const DEVICES = [100, 200, 500] as const
const OWNERS = [0, 2, 3] as const
const MOMENTS = ['2026-03-09 23:30:00', '2026-03-10 09:00:00', '2026-03-10 10:00:00'] as const
const DAYS = ['2026-02-01', '2026-03-01', '2026-03-02'] as const

const owned = fc.record({ id: ids(1, 2, 3), name: text('north', 'south'), owner_id: ids(...OWNERS) })

const document = { id: ids(1, 2, 3, 4), user_id: ids(...CUSTOMERS), currency: text('', 'EUR') }

/** Rows with few distinct values, so that the same ids, names, numbers and parties collide. */
const ROWS: Partial<Record<FileName, fc.Arbitrary<Cells>>> = {
  currencies: fc.record({ name: text('EUR', 'GBP', 'JPY'), exchange_rate: text('0.5', '2') }),
  users: fc.record({
    id: ids(...CUSTOMERS),
    username: text('bob', 'ben', 'carol', 'eve', 'mallory'),
    usertype: fc.constant('user'),
    owner_id: ids(...OWNERS),
    tariff_id: text('', '1', '2'),
    blocked: text('0', '1'),
    password_hash: fc.constant(password_hash),
  }),
  tariffs: fc.record({ id: ids(1, 2, 5), name: text('retail', 'other'), owner_id: ids(...OWNERS) }),
  providers: fc.record({
    id: ids(1, 2, 3),
    name: text('Thames', 'Severn', 'Tyne'),
    names: text('', 'gw1', 'gw1 gw2', 'thames'),
    addresses: text('', '192.0.2.1', '192.0.2.1 192.0.2.2'),
    channels: text('', 'SIP/a', 'DAHDI/i1-'),
    tariff_id: text('', '1'),
  }),
  devices: fc.record({
    id: ids(...DEVICES),
    user_id: ids(...CUSTOMERS),
    name: text('desk', '1001', '1002', '1003'),
    extension: text('', '1001', '1002', '1003', '12#4'),
    authentication: text('password', 'ip'),
    ipaddr: text('', '192.0.2.1', '192.0.2.2'),
    comment: text('', 'x'),
  }),
  device_rules: fc.record({
    id: ids(5, 6, 7),
    device_id: ids(...DEVICES),
    name: text('local', 'abroad'),
    cut: text('0', '00'),
  }),
  dids: fc.record({
    id: ids(1, 2, 9),
    did: text('37052000001', '+370 5200 0001', '37052000002', 'none'),
    owner_id: ids(...OWNERS),
    user_id: text('', ...CUSTOMERS.map(String)),
    device_id: text('', ...DEVICES.map(String)),
  }),
  lcrs: owned,
  location_groups: owned,
  locations: owned,
  location_rules: fc.record({
    id: ids(100, 101, 102),
    location_id: ids(1, 2, 3),
    name: text('in', 'out'),
    cut: text('0', '00', ''),
    add: text('370'),
    minlen: ids(1, 5),
    maxlen: ids(6, 9),
    device_id: text('', ...DEVICES.map(String)),
    lcr_id: text('', '1', '2'),
  }),
  services: fc.record({ id: ids(1, 2), name: text('line'), owner_id: ids(...OWNERS) }),
  subscriptions: fc.record({
    ...document,
    service_id: ids(1, 2),
    device_id: text('', ...DEVICES.map(String)),
    from: text(...MOMENTS),
  }),
  payments: fc.record({ ...document, date: text(...MOMENTS), amount: text('1', '2.5') }),
  credit_notes: fc.record({ ...document, issue_date: text(...DAYS), price: text('1', '2.5') }),
  invoices: fc.record({
    ...document,
    number: text('R-9', 'R-10'),
    issue_date: text(...DAYS),
    price: text('1', '2.5'),
  }),
  invoice_products: fc.record({
    invoice_id: ids(1, 2, 3),
    name: text('calls', 'line'),
    sum: text('1', '1.5'),
  }),
  calls: fc.record({
    uniqueid: text('a', 'b'),
    source: text('', 'fs1'),
    calldate: text(...MOMENTS),
    user_id: ids(...CUSTOMERS),
    billsec: ids(0, 60),
    disposition: text('ANSWERED', 'BUSY'),
    user_price: text('', '0.1'),
  }),
  local_calls: fc.record({
    uniqueid: text('a', 'b'),
    calldate: text(...MOMENTS),
    originator_user_id: text('', ...CUSTOMERS.map(String)),
    terminator_user_id: ids(...CUSTOMERS),
  }),
  queue_log: fc.record({ id: ids(1, 2), time: text(...MOMENTS), event: text('CONNECT', 'ABANDON') }),
  active_calls: fc.record({
    id: ids(1, 2),
    start_time: text('2026-03-10 11:00:00', '2026-03-10 11:30:00'),
    user_id: ids(...CUSTOMERS),
    dst_user_id: text('', ...CUSTOMERS.map(String)),
  }),
}

/** A change of a table. Returns the number of written rows. */
interface Step {
  readonly description: string
  readonly run: (world: World) => Promise<number>
}

const anImport = fc.constantFrom(...(Object.keys(ROWS) as FileName[])).chain((file) =>
  fc.array(ROWS[file] as fc.Arbitrary<Cells>, { minLength: 1, maxLength: 3 }).map(
    (rows): Step => ({
      description: `import ${file} ${JSON.stringify(rows)}`,
      run: async (world) => (await importOne(world, file, rows, UNFORESEEN))?.written ?? 0,
    }),
  ),
)

const CALLS: Readonly<Record<string, fc.Arbitrary<Cells>>> = {
  device_create: fc.record({ user_id: ids(...CUSTOMERS), description: text('made') }),
  device_update: fc.record({
    device: ids(...DEVICES),
    extension: text('1001', '1002', '1004'),
    comment: text('y'),
  }),
  device_delete: fc.record({ device: ids(...DEVICES) }),
  device_rule_create: fc.record({ device_id: ids(...DEVICES), name: text('made'), cut: text('9') }),
  device_rule_delete: fc.record({ device_rule_id: ids(5, 6, 7) }),
  location_rule_create: fc.record({
    location_id: ids(1, 2),
    name: text('made'),
    cut: text('77', '0'),
    lcr_id: ids(1),
  }),
  location_rule_copy: fc.record({ location_rule_id: ids(100, 101), location_id: ids(1, 2, 3) }),
  location_rule_update: fc.record({
    location_rule_id: ids(100, 101),
    cut: text('0', '1'),
    maxlen: ids(6, 8),
  }),
  location_rule_delete: fc.record({ location_rule_id: ids(100, 101, 102) }),
  exchange_rate_update: fc.record({ currency: text('EUR', 'GBP'), rate: text('0.7') }),
}

const aCall = fc.constantFrom(...Object.keys(CALLS)).chain((name) =>
  (CALLS[name] as fc.Arbitrary<Cells>).map(
    (params): Step => ({
      description: `${name} ${JSON.stringify(params)}`,
      run: async (world) => {
        expect(await world.call(methods.get(name) as Method, 'admin', params)).not.toContain('Internal error')
        return 0
      },
    }),
  ),
)

const steps = fc.array(
  fc.array(fc.oneof({ weight: 3, arbitrary: anImport }, aCall), { minLength: 1, maxLength: 2 }),
  {
    minLength: 4,
    maxLength: 10,
  },
)

test('imports and API calls in any order, two at a time, leave a consistent table', async () => {
  let written = 0
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const world = await aWorld(everything)
      for (const together of sequence) {
        const counts = await Promise.all(together.map(({ run }) => run(world)))
        for (const count of counts) written += count
        const descriptions = together.map(({ description }) => description)
        expect({ descriptions, damage: await damageIn(world) }).toEqual({ descriptions, damage: [] })
      }
    }),
    { numRuns: RUNS },
  )
  expect(written).toBeGreaterThan(RUNS)
})
