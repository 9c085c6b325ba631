import type { DatasetRows } from '#lib/dataset/import/import.ts'
import type { SentParameters } from '#tools/contracts/signed-call.ts'

/** Objects that grow in number, and the methods that must not notice. */
export interface Estate {
  readonly name: string
  readonly grows: Growth
  readonly methods: readonly string[]
}

/** The rows of one object with this id, of which copies are made; or the id of the tariff whose rates grow. */
type Growth = { readonly rows: (id: string) => DatasetRows } | { readonly ofTariff: number }

const FROM_THIS_YEAR = String(Date.parse('2026-01-01T00:00:00Z') / 1000)
const LAST_YEAR = '2025-11-05 10:00:00'

const customer = (id: string) => ({
  id,
  username: `filler-${id}`,
  password_hash: '0'.repeat(40),
  usertype: 'user',
  owner_id: '2',
  tariff_id: '3',
})

/** Those with the fewest items first. */
export const ESTATES: readonly Estate[] = [
  {
    name: 'rates of the tariff; tariff_rates_get shows all of them',
    grows: { ofTariff: 3 },
    methods: ['rate_get', 'tariff_rates_get'],
  },
  {
    name: 'rates of another tariff',
    grows: { ofTariff: 4 },
    methods: ['tariff_rates_get'],
  },
  {
    name: 'calls of another customer on the same day',
    grows: {
      rows: (id) => ({
        calls: [
          {
            uniqueid: `filler-${id}`,
            calldate: '2026-11-18 10:00:00',
            src: '37060012345',
            dst: '12025550199',
            duration: '70',
            billsec: '60',
            hangupcause: '16',
            user_id: '21',
            user_price: '0.1',
          },
        ],
      }),
    },
    methods: ['user_calls_get', 'quickstats_get'],
  },
  {
    name: 'calls in progress',
    grows: {
      rows: (id) => ({
        active_calls: [{ id, start_time: '2026-11-18 15:20:00', src: '1001', user_id: '21' }],
      }),
    },
    methods: ['active_calls_get', 'quickstats_get'],
  },
  {
    name: 'internal calls and queue log entries of other days',
    grows: {
      rows: (id) => ({
        local_calls: [{ uniqueid: `filler-${id}`, calldate: LAST_YEAR, originator_user_id: '20' }],
        queue_log: [{ id, time: LAST_YEAR, queue_name: 'reception', event: 'ENTERQUEUE' }],
      }),
    },
    methods: ['local_calls_get', 'queue_log_get'],
  },
  {
    name: 'locations, each with a rule',
    grows: {
      rows: (id) => ({
        locations: [{ id, name: `Filler ${id}`, owner_id: '2' }],
        location_rules: [{ id, location_id: id, name: `Rule ${id}`, cut: '00', lcr_id: '3' }],
      }),
    },
    methods: [
      ...['location_rule_get', 'location_rules_get', 'location_rule_create', 'location_rule_update'],
      ...['location_rule_delete', 'location_rule_copy'],
    ],
  },
  {
    name: 'documents of another customer, and services of another owner',
    grows: {
      rows: (id) => ({
        services: [{ id, owner_id: '0', name: `Filler ${id}`, price: '1' }],
        subscriptions: [{ id, user_id: '21', service_id: id, from: LAST_YEAR }],
        payments: [{ id, user_id: '21', date: LAST_YEAR, amount: '1', completed: '1' }],
        credit_notes: [{ id, user_id: '21', issue_date: '2025-11-05', price: '1' }],
        invoices: [{ id, user_id: '21', number: `F-${id}`, issue_date: '2025-11-05', price: '1' }],
      }),
    },
    methods: [
      ...['credit_notes_get', 'payments_get', 'services_get', 'subscriptions_get'],
      ...['financial_statements_get', 'invoices_get'],
    ],
  },
  {
    name: 'customers with a device, a rule and a DID',
    grows: {
      rows: (id) => ({
        users: [customer(id)],
        devices: [{ id, user_id: id, device_type: 'SIP', name: id, secret: `secret-${id}`, extension: id }],
        device_rules: [{ id, device_id: id, name: 'Abroad', cut: '00' }],
        dids: [{ id, did: `370${id}`, owner_id: '2', user_id: id, device_id: id }],
      }),
    },
    methods: [
      ...[
        'user_login',
        'devices_get',
        'device_details_get',
        'device_create',
        'device_update',
        'device_delete',
      ],
      ...['device_rules_get', 'device_rule_create', 'device_rule_delete', 'exchange_rate_update'],
    ],
  },
]

/** Parameters that ask a list for a part that stays the same, in place of those of the examples. */
export const SLICES: Readonly<Record<string, SentParameters>> = {
  active_calls_get: { u: 'carol' },
  queue_log_get: { u: 'admin', from: FROM_THIS_YEAR, queuename: 'reception' },
  invoices_get: { u: 'northwind', from: FROM_THIS_YEAR },
  financial_statements_get: { u: 'alice_accounting', date_from: FROM_THIS_YEAR },
}
