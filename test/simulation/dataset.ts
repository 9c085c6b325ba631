import { createHash } from 'node:crypto'
import { hexDigest } from '#lib/base/digest.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'

/** The installation that every simulation begins with. */

export const SIMULATED_KEY = 'simulated-key'

export const BEGIN = Date.parse('2026-05-31T12:00:00Z')

/** The first day that balances, charges and invoices count. */
export const SIMULATED_FROM = '2026-05-01'

export const SIMULATED_SETTINGS = {
  Allow_API: '1',
  API_Secret_Key: SIMULATED_KEY,
  API_allow_Payments: '1',
  Payments_With_VAT: '1',
  Allocate_Payments: 'oldest',
  Default_Currency: 'EUR',
  Balance_From: SIMULATED_FROM,
  Charges_From: SIMULATED_FROM,
  Invoices_From: SIMULATED_FROM,
  Call_Control: '1',
  Hangup_Margin_Seconds: '0',
  Customer_Page: '1',
  Device_Limit: '1000',
  Calls_Keep_Days: '1',
  Wholesale_Customers: '10:2026-05-29',
  API_allow_Registration: '1',
  Queue_Log_Enabled: '1',
  Devices_Check_Rate: '1',
  Devices_Check_Balance: '1',
  Late_Months: '6',
  Balances_Without_Signature: '1',
  Default_User_Tariff: '1',
  Mail_From: 'billing@tollgate.example',
  Page_Address: 'https://pay.tollgate.example/',
  Reminder_Days: '7,21',
  Stripe_Key: 'sk_test_0123456789',
  Stripe_Webhook_Secret: 'whsec_of_stripe',
}

export const ALICE = 'alice'

export const PASSWORD = 'a known password'

/** A few of her recovery codes, as she types them. */
export const RECOVERY_CODES = ['AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB', 'CCCCCCCCCCCCCCCC']

export const FACTOR = { secret: 'A'.repeat(32), recovery: RECOVERY_CODES.map(hexDigest) }

export const SWITCHES = ['gw1', 'gw2', 'gw3', 'fs1', 'sip1'] as const

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

/** Nobody but the account, its seller and the operator may read it. */
export const mailAddressOf = (username: string): string => `${username}@customer.example`

const account = (id: number, username: string, columns: Cells): Record<string, string> & { id: string } => ({
  id: String(id),
  username,
  usertype: 'user',
  owner_id: '0',
  uniquehash: `hash-of-${id}`,
  password_hash: username === ALICE ? sha1(PASSWORD) : '0'.repeat(40),
  email: mailAddressOf(username),
  ...columns,
})

export const [BOB, PAUL, RICK, CAROL, DAVE, MALLORY, TRUDY, MIA, ZOE] = [
  10, 11, 2, 20, 21, 3, 30, 31, 12,
] as const

/** Mallory and her customers Trudy and Mia want what is not theirs. */
export const ACCOUNTS = [
  account(0, 'admin', { usertype: 'admin' }),
  account(1, ALICE, { usertype: 'accountant' }),
  account(RICK, 'rick', {
    usertype: 'reseller',
    tariff_id: '1',
    postpaid: '0',
    credit: '0',
    balance: '300',
    vat_percent: '19',
  }),
  account(MALLORY, 'mallory', { usertype: 'reseller', tariff_id: '1', postpaid: '1', credit: '-1' }),
  account(BOB, 'bob', {
    ...{ tariff_id: '1', postpaid: '1', credit: '-1', balance: '60', alert_at: '50,20', vat_percent: '21' },
  }),
  account(PAUL, 'paul', { tariff_id: '1', postpaid: '0', credit: '0', balance: '6', alert_at: '3' }),
  account(CAROL, 'carol', { owner_id: '2', tariff_id: '2', postpaid: '0', credit: '0', balance: '9' }),
  account(DAVE, 'dave', { owner_id: '2', tariff_id: '2', postpaid: '1', credit: '-1', vat_percent: '7.7' }),
  account(TRUDY, 'trudy', { owner_id: '3', tariff_id: '4', postpaid: '1', credit: '-1' }),
  account(MIA, 'mia', { owner_id: '3', tariff_id: '4', postpaid: '1', credit: '-1' }),
]

/** The VAT that payments of these customers include at first. */
export const VAT_OF: Readonly<Record<number, number>> = { [BOB]: 21, [DAVE]: 7.7, [RICK]: 19 }

/** The percents that Bob or Dave may get. */
export const VAT_CHANGES = ['21', '7.7', '5'] as const

/** She has no account at first. Her answered calls are suspended until she has. */
export const ACCOUNT_OF_ZOE = account(ZOE, 'zoe', { tariff_id: '1', postpaid: '1', credit: '-1' })

/** She makes no calls, and moves from seller to seller whenever she owes nothing. */
export const NORA = 13

const ACCOUNT_OF_NORA = account(NORA, 'nora', { postpaid: '1', credit: '-1' })

/** The price of a prefix: millionths of a euro for a minute and for a connection; seconds. */
interface PlainRate {
  readonly minute: number
  readonly connection: number
  readonly increment: number
  readonly least: number
}

const plain = (minute: number, connection = 0, increment = 1, least = 0): PlainRate => ({
  minute,
  connection,
  increment,
  least,
})

/** Rated again now and then, by one of these prices of tariff 1. */
export const RERATED = { tariff_id: '1', prefix: '371', minutes: [240_013, 480_029] } as const

/** Few seconds cost a whole number of millionths. */
export const RATES: Readonly<Record<string, Readonly<Record<string, PlainRate>>>> = {
  1: {
    44: plain(600_421),
    4477: plain(1_200_000, 50_000, 6, 30),
    370: plain(300_017, 0, 60),
    371: plain(240_013),
  },
  2: {
    44: plain(900_433),
    4477: plain(1_800_000, 50_000),
    370: plain(600_011, 0, 60, 60),
    371: plain(700_003),
  },
  4: { 44: plain(900_433), 4477: plain(1_800_000), 370: plain(600_011), 371: plain(700_003) },
}

/** Mallory's tariff has another price and an addition for callers whose number begins like this. */
export const NEAR = { tariff_id: '4', origin: 'near', prefix: '9301000' } as const

export const NEAR_RATES = {
  44: { minute: 300_229, adds: false },
  370: { minute: 90_007, adds: true },
} as const

/** It pays invoices of Bob. */
export const IMPORTED_NOTE = 'X1'

/** For a euro. */
export const DOLLARS = 1.25

const euros = (millionths: number): string => (millionths / 1_000_000).toFixed(6)

/** All rates of a tariff, at this price of the prefix that is rated again. */
export const plainRatesOf = (tariff_id: string, rerated?: number): Cells[] =>
  Object.entries(RATES[tariff_id] ?? {}).map(([prefix, { minute, connection, increment, least }]) => ({
    tariff_id,
    prefix,
    tariff_rate: euros(prefix === RERATED.prefix ? (rerated ?? minute) : minute),
    con_fee: euros(connection),
    increment: String(increment),
    min_time: String(least),
  }))

export const TARIFF_OF: Readonly<Record<number, string>> = {
  ...{
    [BOB]: '1',
    [PAUL]: '1',
    [ZOE]: '1',
    [CAROL]: '2',
    [DAVE]: '2',
    [TRUDY]: '4',
    [MIA]: '4',
    [RICK]: '1',
    [MALLORY]: '1',
  },
}

export const OWNER_OF: Readonly<Record<number, number>> = {
  [CAROL]: RICK,
  [DAVE]: RICK,
  [TRUDY]: MALLORY,
  [MIA]: MALLORY,
}

export const DATASET: Partial<Record<FileName, readonly Cells[]>> = {
  users: [...ACCOUNTS, ACCOUNT_OF_NORA],
  currencies: [
    { name: 'EUR', exchange_rate: '1' },
    { name: 'USD', exchange_rate: String(DOLLARS) },
  ],
  tariffs: [
    { id: '1', name: 'Retail', currency: 'EUR', purpose: 'retail', owner_id: '0' },
    { id: '2', name: 'From Rick', currency: 'EUR', purpose: 'user_wholesale', owner_id: '2' },
    { id: '4', name: 'From Mallory', currency: 'EUR', purpose: 'user_wholesale', owner_id: '3' },
  ],
  destinations: [
    { prefix: '44', direction: 'United Kingdom', destination: 'United Kingdom' },
    { prefix: '4477', direction: 'United Kingdom', destination: 'United Kingdom mobile' },
    { prefix: '370', direction: 'Lithuania', destination: 'Lithuania' },
  ],
  origins: [NEAR],
  rates: [
    ...Object.keys(RATES).flatMap((tariff) => plainRatesOf(tariff)),
    ...Object.entries(NEAR_RATES).map(([prefix, { minute, adds }]) => ({
      ...{ tariff_id: NEAR.tariff_id, prefix, origin: NEAR.origin, adds: adds ? '1' : '0' },
      ...{ tariff_rate: euros(minute), increment: adds ? '' : '1' },
    })),
  ],
  services: [
    { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' },
    { id: '2', owner_id: '0', name: 'Recording', type: 'periodic_fee', period: 'daily', price: '0.333' },
    { id: '5', owner_id: '2', name: 'Line of Rick', type: 'periodic_fee', period: 'monthly', price: '12.9' },
  ],
  locations: ['1', '2'].map((id) => ({ id, name: 'north', owner_id: '0' })),
  devices: ['901', '902', '903'].map((id) => ({ id, user_id: String(BOB), name: `desk${id}` })),
  device_rules: [{ id: '101', device_id: '901', name: 'read', cut: '9' }],
  location_rules: [{ id: '101', location_id: '1', name: 'read', cut: '00' }],
  providers: [{ id: '1', name: 'Thames' }],
  local_calls: [{ uniqueid: 'l0', calldate: '2026-05-29 10:00:00', originator_user_id: String(BOB) }],
  credit_notes: [
    {
      id: '9',
      user_id: String(BOB),
      number: IMPORTED_NOTE,
      issue_date: '2026-05-30',
      price: '5',
      price_with_vat: '6.05',
    },
  ],
  queue_log: [{ id: '0', time: '2026-05-29 10:00:00' }],
  dids: [{ id: '1', did: '37052000001', owner_id: '0' }],
  subscriptions: [
    { id: '1', user_id: String(BOB), service_id: '1', from: '2026-05-03 00:00:00' },
    { id: '2', user_id: String(DAVE), service_id: '5', from: '2026-05-10 00:00:00' },
  ],
}
