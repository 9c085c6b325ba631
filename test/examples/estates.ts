import { createHash } from 'node:crypto'
import type { DatasetRows } from '#test/datasets/import-rows.ts'

/**
 * Everybody of examples.ts with one thing of each kind, for asking whose things an answer shows. A name ends
 * in `of-N`, an id is that of its kind plus N, where N is the account, or the owner of what only owners have.
 */
const OWNER_OF = { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 10: 0, 20: 2, 30: 3, 40: 4 } as const

const NAMES: Readonly<Record<string, readonly [username: string, usertype: string]>> = {
  0: ['admin', 'admin'],
  1: ['alice', 'accountant'],
  2: ['rick', 'reseller'],
  3: ['rita', 'reseller'],
  4: ['pat', 'partner'],
  10: ['bob', 'user'],
  11: ['ben', 'user'],
  20: ['carol', 'user'],
  30: ['dave', 'user'],
  40: ['paula', 'user'],
}

export const usernameOf = (account: number): string => NAMES[account]?.[0] ?? ''

export const passwordOf = (username: string): string => `password-of-${username}`

/** The ids of a kind of thing begin after this. */
export const IDS_AFTER = { device: 1000, location: 2000, tariff: 3000, object: 6000, document: 7000 } as const

const ACCOUNTS = Object.entries(OWNER_OF).map(([account, owner]) => ({ account: Number(account), owner }))
const OWNERS = [0, 2, 3, 4]

/** The PIN of a device begins after this. */
const PINS_AFTER = 98_765_000

/** Matches a secret or PIN of a device, or the column of one. */
export const SECRET_OF_A_DEVICE = /secret-\d|98765\d|<(?:secret|pin|password)>/

/** A power of two for each account, so that a sum tells what it was made of. */
const bitOf = (account: number): number => 2 ** ACCOUNTS.findIndex((one) => one.account === account)

/** The accounts whose amounts make this sum. */
export const accountsIn = (sum: number): number[] =>
  ACCOUNTS.map(({ account }) => account).filter((account) => Math.floor(sum / bitOf(account)) % 2 === 1)

const NOON = '2026-03-10 12:00:00'
const MORNING = '2026-03-10 09:00:00'

const user = (account: number, owner: number, rest: Readonly<Record<string, string>> = {}) => {
  const [username = '', usertype = ''] = NAMES[account] ?? []
  const password_hash = createHash('sha1').update(passwordOf(username)).digest('hex')
  const named = {
    uniquehash: `hash-of-${account}`,
    id: `${account}`,
    owner_id: `${owner}`,
    username,
    usertype,
    first_name: `of-${account}`,
  }
  return { ...named, password_hash, ...rest }
}

const perAccount = (row: (account: number, owner: number) => Readonly<Record<string, string>>) =>
  ACCOUNTS.map(({ account, owner }) => row(account, owner))

const perOwner = (first: number, kind: string) =>
  OWNERS.map((owner) => ({ id: `${first + owner}`, owner_id: `${owner}`, name: `${kind} of-${owner}` }))

/** A document's place, date and amount. */
const document = (account: number) => ({ id: `${IDS_AFTER.document + account}`, user_id: `${account}` })

export const estates: DatasetRows = {
  users: [
    ...perAccount((account, owner) => {
      const tariff = `${IDS_AFTER.tariff + account}`
      return user(account, owner, { tariff_id: tariff, default_tariff_id: tariff, balance: `${account}` })
    }),
    user(11, 0, { blocked: '1' }),
  ],
  currencies: [
    { name: 'EUR', exchange_rate: '0.9', auto_update: '0' },
    { name: 'GBP', exchange_rate: '0.8', auto_update: '1' },
  ],
  tariffs: perAccount((account, owner) => ({
    id: `${IDS_AFTER.tariff + account}`,
    owner_id: `${owner}`,
    name: `Tariff of-${account}`,
  })),
  rates: perAccount((account) => ({
    tariff_id: `${IDS_AFTER.tariff + account}`,
    prefix: '370',
    tariff_rate: '0.1',
    destination: `Lithuania of-${account}`,
  })),
  devices: perAccount((account) => ({
    id: `${IDS_AFTER.device + account}`,
    user_id: `${account}`,
    device_type: 'SIP',
    name: `phone-of-${account}`,
    secret: `secret-${account}`,
    pin: `${PINS_AFTER + account}`,
    extension: `${5000 + account}`,
  })),
  device_rules: perAccount((account) => ({
    id: `${IDS_AFTER.object + account}`,
    device_id: `${IDS_AFTER.device + account}`,
    name: `Rule of-${account}`,
    cut: '0',
  })),
  dids: OWNERS.map((owner) => ({
    id: `${IDS_AFTER.object + owner}`,
    did: `${370520000 + owner}`,
    owner_id: `${owner}`,
  })),
  lcrs: perOwner(IDS_AFTER.object, 'LCR'),
  location_groups: perOwner(IDS_AFTER.object, 'Group'),
  locations: perOwner(IDS_AFTER.location, 'Location'),
  location_rules: OWNERS.map((owner) => ({
    id: `${IDS_AFTER.object + owner}`,
    location_id: `${IDS_AFTER.location + owner}`,
    name: `Rule of-${owner}`,
    cut: '0',
  })),
  providers: [{ id: '1', name: 'Thames', tariff_id: `${IDS_AFTER.tariff}` }],
  calls: perAccount((account) => ({
    uniqueid: `call-of-${account}`,
    calldate: MORNING,
    src: '37000001',
    dst: '37060012345',
    disposition: 'ANSWERED',
    duration: `${bitOf(account)}`,
    billsec: `${bitOf(account)}`,
    hangupcause: '16',
    user_id: `${account}`,
    device_id: `${IDS_AFTER.device + account}`,
    provider_id: '1',
    user_price: '1',
    provider_price: '1',
    reseller_price: '1',
  })),
  active_calls: perAccount((account) => ({
    id: `${account}`,
    start_time: NOON,
    src: '37000001',
    user_id: `${account}`,
  })),
  local_calls: perAccount((account) => ({
    uniqueid: `local-${account}`,
    calldate: MORNING,
    originator_user_id: `${account}`,
    terminator_user_id: `${account}`,
  })),
  queue_log: [{ id: '1', time: MORNING, queue_name: 'reception of-0', event: 'ENTERQUEUE' }],
  services: perOwner(IDS_AFTER.object, 'Service').map((service) => ({
    ...service,
    type: 'periodic_fee',
    period: 'monthly',
    price: '1',
  })),
  payments: perAccount((account) => ({
    ...document(account),
    date: MORNING,
    type: 'bank',
    amount: `${bitOf(account)}`,
    completed: '1',
  })),
  credit_notes: perAccount((account) => ({
    ...document(account),
    issue_date: '2026-03-10',
    number: `CN-of-${account}`,
    price: `${bitOf(account)}`,
  })),
  subscriptions: perAccount((account) => ({
    ...document(account),
    service_id: `${IDS_AFTER.object}`,
    from: '2026-01-01 00:00:00',
  })),
  invoices: perAccount((account) => ({
    ...document(account),
    number: `INV-of-${account}`,
    issue_date: '2026-03-10',
    price: `${bitOf(account)}`,
  })),
}
