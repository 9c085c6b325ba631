import { MOST_RULES_OF_A_DEVICE } from '#lib/devices/device-rule-stored.ts'
import { advanceIds } from '#lib/table/id-counter.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { people, withCheapHash } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
import { aWorld, type World } from '#test/world.ts'

/** A registration for a device, as a portal sends it. */
export const REGISTRATION = {
  email: 'jane@example.com',
  device_type: 'SIP',
  username: 'jane',
  password: 'Secret-1',
  password2: 'Secret-1',
  country_id: '80',
}

/** A request that changes a writing world, and succeeds unless it says otherwise. */
interface WritingRequest {
  readonly method: string
  readonly what: string
  readonly params: Readonly<Record<string, string | number>>
  /** Further rows that the change needs. */
  readonly given?: DatasetRows
  readonly changesNothing?: true
  /** It changes nothing but counters of attempts, and is answered with success. */
  readonly countsOnly?: true
}

const LAST_ID = 9_000_000

const rows = {
  ...routing,
  users: people.map((person) => ({ ...withCheapHash(person), uniquehash: `hash of ${person.username}` })),
  dids: everything.dids,
  device_rules: everything.device_rules,
  currencies: everything.currencies,
}

/** Only the data of the methods that write, because it is dumped again and again. */
export async function aWritingWorld(besides: DatasetRows = {}): Promise<World> {
  const world = await aWorld(rows)
  await world.given(besides)
  await world.set({
    Device_Limit: '1000',
    API_allow_Payments: '1',
    API_allow_Registration: '1',
    Devices_Check_Balance: '1',
    Balances_Without_Signature: '1',
    Balance_From: '2026-03-01',
    Default_User_Tariff: '1',
  })
  for (const kind of ['account', 'device', 'device_rule', 'location_rule'] as const) {
    await advanceIds(world.store, kind, LAST_ID)
  }
  return world
}

const bobsOtherPhone = {
  id: '500',
  user_id: '10',
  device_type: 'SIP',
  name: 'desk',
  extension: '1005',
}

/** A device whose rules do not fit into one transaction with it. */
const withManyRules = {
  devices: [bobsOtherPhone],
  device_rules: Array.from({ length: MOST_RULES_OF_A_DEVICE }, (_, n) => ({
    id: String(1000 + n),
    device_id: bobsOtherPhone.id,
    name: `Rule ${n}`,
    cut: '0',
  })),
}

const byAdmin = (params: WritingRequest['params']): WritingRequest['params'] => ({ u: 'admin', ...params })

/** At least one for every method that writes; those of more than one way have one for each. */
export const changes: readonly WritingRequest[] = [
  {
    method: 'user_login',
    what: 'right',
    params: { u: 'bob', p: 'password of bob' },
  },
  { method: 'user_login', what: 'wrong', params: { u: 'bob', p: 'password of ben' }, changesNothing: true },
  {
    method: 'users_get',
    what: 'right',
    params: byAdmin({ p: 'password of admin' }),
  },
  { method: 'users_get', what: 'wrong', params: byAdmin({ p: 'password of ben' }), changesNothing: true },
  {
    method: 'users_get',
    what: 'a uniquehash',
    params: byAdmin({ uniquehash: 'hash of admin' }),
    countsOnly: true,
  },
  { method: 'user_balance_get_by_username', what: 'one', params: { id: 'bobs-phone' }, countsOnly: true },
  { method: 'user_simple_balance_get', what: 'one', params: { id: 'hash of bob' }, countsOnly: true },
  { method: 'user_register', what: 'one', params: REGISTRATION },
  {
    method: 'user_details_update',
    what: 'details',
    params: byAdmin({ user_id: 10, u5: 1, u15: 1, credit: '12.5' }),
  },
  {
    method: 'user_details_update',
    what: 'name and password',
    params: byAdmin({ user_id: 10, u9: 'robert', pswd: 'Secret-1' }),
  },
  {
    method: 'payment_create',
    what: 'with a transaction',
    params: byAdmin({ user_id: 10, p_currency: 'EUR', amount: '12.5', transaction: 'T1' }),
  },
  {
    method: 'payment_create',
    what: 'without a transaction',
    params: byAdmin({ user_id: 10, p_currency: 'EUR', amount: '12.5' }),
  },
  {
    method: 'device_create',
    what: 'the next extension',
    params: byAdmin({ user_id: 10, description: 'Desk', pin: '4711' }),
  },
  {
    method: 'device_create',
    what: "a customer's first",
    params: byAdmin({ user_id: 11, extension: '3001', type: 'SIP' }),
  },
  {
    method: 'device_update',
    what: 'a column',
    params: byAdmin({ device: 100, comment: 'New', callerid_number: '37000009' }),
  },
  {
    method: 'device_update',
    what: 'name and extension',
    params: byAdmin({ device: 100, device_name: 'bobs-new-phone', extension: '1777' }),
  },
  {
    method: 'device_delete',
    what: 'without rules',
    params: byAdmin({ device: 500 }),
    given: { devices: [bobsOtherPhone] },
  },
  {
    method: 'device_delete',
    what: 'with many rules',
    params: byAdmin({ device: 500 }),
    given: withManyRules,
  },
  {
    method: 'device_rule_create',
    what: 'one',
    params: byAdmin({ device_id: 100, name: 'Abroad', cut: '00' }),
  },
  { method: 'device_rule_delete', what: 'one', params: byAdmin({ device_rule_id: 5 }) },
  {
    method: 'location_rule_create',
    what: 'to a device',
    params: byAdmin({ location_id: 1, name: 'New', cut: '11', device_id: 201 }),
  },
  {
    method: 'location_rule_update',
    what: 'device and digits',
    params: byAdmin({ location_rule_id: 100, cut: '12', device_id: 201 }),
  },
  {
    method: 'location_rule_copy',
    what: 'elsewhere',
    params: byAdmin({ location_rule_id: 100, location_id: 5 }),
  },
  { method: 'location_rule_delete', what: 'of a device', params: byAdmin({ location_rule_id: 100 }) },
  {
    method: 'exchange_rate_update',
    what: 'one',
    params: byAdmin({ currency: 'GBP', rate: '0.5' }),
  },
]
