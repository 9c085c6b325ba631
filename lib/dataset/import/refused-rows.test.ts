import { beforeAll, expect, test } from 'vitest'
import { showInvisible } from '#lib/base/text.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aTable, operator, password } from '#test/datasets/import-table.ts'

const user = { id: '9', username: 'new', usertype: 'user', owner_id: '0', ...password }
const device = { id: '19', user_id: '5', name: 'new', extension: '1900', secret: 'new-secret' }
const rule = { id: '29', device_id: '10', name: 'new', cut: '9' }
const did = { id: '39', did: '15550199', owner_id: '0' }

const UNSEEN = [' new', 'new ', 'ne\u200bw', '\u202ewen', 'new\u00a0', 'n\u3164ew', 'ne\u2800w', 'new\r\n']

const shown = (value: string): string => showInvisible(JSON.stringify(value))

const notVisible = (name: string): [string, DatasetRows, string][] => {
  const takes = `takes a name without blanks around it and without invisible characters, not ${shown(name)}`
  const named = { id: '29', name, owner_id: '0' }
  return [
    [`a username ${shown(name)}`, { users: [{ ...user, username: name }] }, `username ${takes}`],
    [`a device ${shown(name)}`, { devices: [{ ...device, name }] }, `name ${takes}`],
    [`a login ${shown(name)}`, { devices: [{ ...device, username: name }] }, `username ${takes}`],
    [`a tariff ${shown(name)}`, { tariffs: [named] }, `name ${takes}`],
    [`a provider ${shown(name)}`, { providers: [{ id: '29', name }] }, `name ${takes}`],
    [`a location ${shown(name)}`, { locations: [named] }, `name ${takes}`],
    [`a service ${shown(name)}`, { services: [named] }, `name ${takes}`],
  ]
}

const notAnAddress = (email: string): [string, DatasetRows, string] => [
  `an email ${shown(email)}`,
  { users: [{ ...user, email }] },
  `email takes a word without invisible characters, not ${shown(email)}`,
]

/** A refused row changes nothing, so that all refusals are of one table. */
let filled: Awaited<ReturnType<typeof aTable>>
beforeAll(async () => {
  filled = await aTable()
  await filled.run(operator)
})

test.each<[string, DatasetRows, string]>([
  [
    'a username of another account',
    { users: [{ ...user, username: 'bob' }] },
    'username belongs to account 5',
  ],
  ...(['username', 'phone', 'vat_number', 'clientid'] as const).map((name): [string, DatasetRows, string] => [
    `a shortened ${name}`,
    { users: [{ ...user, [name]: '4.42079E+11' }] },
    `${name} is not whole: a spreadsheet shortened it, format the column as text`,
  ]),
  ...(['name', 'callerid'] as const).map((name): [string, DatasetRows, string] => [
    `a shortened ${name} of a device`,
    { devices: [{ ...device, [name]: '4.42079E+11' }] },
    `${name} is not whole: a spreadsheet shortened it, format the column as text`,
  ]),
  [
    'a VAT as a fraction',
    { users: [{ ...user, vat_percent: '0.21' }] },
    'vat_percent takes a percentage: 21 % is 21, not 0.21',
  ],
  ['an unknown owner', { users: [{ ...user, owner_id: '77' }] }, 'owner_id: there is no account 77'],
  [
    'an owner who cannot own',
    { users: [{ ...user, owner_id: '5' }] },
    'owner_id: account 5 is not an admin, reseller or partner',
  ],
  ['a user that owns itself', { users: [{ ...user, owner_id: '9' }] }, 'owner_id: only an admin owns itself'],
  ['no password', { users: [{ ...user, password_hash: '' }] }, 'takes either a password or a password_hash'],
  [
    'two passwords',
    { users: [{ ...user, password: 'a long one' }] },
    'takes either a password or a password_hash',
  ],
  [
    'no hash',
    { users: [{ ...user, password_hash: 'x' }] },
    'password_hash takes a scrypt hash of this service, a SHA-1 in hex, or none',
  ],
  [
    'an unknown type',
    { users: [{ ...user, usertype: 'root' }] },
    'usertype takes: admin, reseller, accountant, partner, user, not "root"',
  ],
  ...UNSEEN.flatMap(notVisible),
  ...['a@b.com\r\nBcc: c@d.com', 'a@b.com\n', 'a@b\u200b.com', 'a b@c.com'].map(notAnAddress),
  ['a blank name', { users: [{ ...user, username: '' }] }, 'username must not be blank'],
  [
    'a character no answer could carry',
    { users: [{ ...user, first_name: '\u0001' }] },
    'first_name has invalid characters',
  ],
  ['an unknown column', { users: [{ ...user, colour: 'red' }] }, 'unknown column "colour"'],
  ['an unknown user', { devices: [{ ...device, user_id: '77' }] }, 'user_id: there is no account 77'],
  [
    'a name of another device',
    { devices: [{ ...device, name: 'bob-desk' }] },
    'name is the name or extension of device 10',
  ],
  [
    "another device's extension as a name",
    { devices: [{ ...device, name: '1001' }] },
    'name is the name or extension of device 10',
  ],
  [
    'a column of devices in another writing',
    { devices: [{ ...device, 'Caller-ID': 'x' }] },
    'column "Caller-ID", which is callerid here',
  ],
  [
    'a password of devices, which would be shown',
    { devices: [{ ...device, password: 'x' }] },
    'column "password", which is secret here',
  ],
  [
    'a column that browsers would run',
    { devices: [{ ...device, script: 'x' }] },
    'column "script", which is an element that browsers run or load',
  ],
  [
    'an admin that owns itself, whom nobody would see',
    { users: [{ ...user, usertype: 'admin', owner_id: '9' }] },
    "owner_id: account 9 is an admin, and what is admin's belongs to account 0",
  ],
  [
    'a range of extensions that begins after its end',
    { settings: [{ name: 'Device_Range_MIN', value: '10000' }] },
    'Device_Range_MIN, 10000, is above Device_Range_MAX, 9999',
  ],
  [
    'a default currency that there is not',
    { settings: [{ name: 'Default_Currency', value: 'XYZ' }] },
    'Default_Currency: there is no currency XYZ',
  ],
  [
    'an amount in a currency that there is not',
    { payments: [{ id: '1', user_id: '5', date: '2026-03-10 09:00:00', amount: '1', currency: 'XYZ' }] },
    'currency: XYZ has no exchange rate',
  ],
  [
    'an extension of another device',
    { devices: [{ ...device, extension: '1001' }] },
    'extension is the name or extension of device 10',
  ],
  ['a column that is not an XML name', { devices: [{ ...device, 'a b': 'x' }] }, 'unknown column "a b"'],
  ['an unknown device', { device_rules: [{ ...rule, device_id: '77' }] }, 'device_id: there is no device 77'],
  [
    'a rule that does nothing',
    { device_rules: [{ ...rule, cut: '' }] },
    'cut and add must not both be blank',
  ],
  [
    'lengths that are not a range',
    { device_rules: [{ ...rule, minlen: '9', maxlen: '3' }] },
    'minlen and maxlen are not a range',
  ],
  [
    'a DID whose device does not exist',
    { dids: [{ ...did, device_id: '77' }] },
    'device_id: there is no device 77',
  ],
  [
    'a DID whose user does not exist',
    { dids: [{ ...did, user_id: '77' }] },
    'user_id: there is no account 77',
  ],
  [
    'a DID whose owner owns nothing',
    { dids: [{ ...did, owner_id: '5' }] },
    'owner_id: account 5 is not an admin, reseller or partner',
  ],
  [
    'an unknown setting',
    { settings: [{ name: 'Allow_All', value: '1' }] },
    'name: there is no setting "Allow_All"',
  ],
  [
    'a short key',
    { settings: [{ name: 'API_Secret_Key', value: 'hush' }] },
    'API_Secret_Key takes at least 6 characters',
  ],
])('refuses %s and writes nothing', async (_case, rows, reason) => {
  const before = await filled.dump()
  const [report] = await filled.run(rows)

  expect(report?.refused).toEqual(new Map([[1, reason]]))
  expect(await filled.dump()).toEqual(before)
})

test.each<[string, DatasetRows, string]>([
  ['an id', { users: [user, { ...user, username: 'other' }] }, 'id 9 is in line 1 already'],
  ['a username', { users: [user, { ...user, id: '8' }] }, 'username new is in line 1 already'],
  [
    'an email address',
    {
      users: [
        { ...user, email: 'Jane@Example.com' },
        { ...user, id: '8', username: 'other', email: 'jane@example.com ' },
      ],
    },
    'email jane@example.com is in line 1 already',
  ],
])('refuses a second row with %s that an earlier row has', async (_case, rows, reason) => {
  const table = await aTable()
  await table.run(operator)
  const [report] = await table.run(rows)

  expect(report).toMatchObject({ written: 1, unchanged: 0, refused: new Map([[2, reason]]) })
})

test('refuses a second row with a uniquehash, without repeating it, and what names that row', async () => {
  const table = await aTable()
  await table.run(operator)
  const [users, invoices, products] = await table.run({
    users: [
      { ...user, uniquehash: 'hush' },
      { ...user, id: '8', username: 'other', uniquehash: 'hush' },
    ],
    invoices: [{ id: '1', user_id: '8', number: 'A-1', issue_date: '2026-03-01', price: '1' }],
    invoice_products: [{ invoice_id: '1', name: 'Calls', quantity: '1', price: '1', sum: '1' }],
  })

  expect(users?.refused).toEqual(new Map([[2, 'uniquehash is in line 1 already']]))
  expect([invoices?.refused.size, products?.refused.size]).toEqual([1, 1])
})

test('refuses all rows that would leave no active admin', async () => {
  const table = await aTable()
  const second = { ...user, username: 'second', usertype: 'admin' }
  await table.run(operator)
  await table.run({ users: [second] })
  const blocked = [
    { id: '0', blocked: '1' },
    { id: '9', blocked: '1' },
  ]

  expect([...((await table.run({ users: blocked }))[0]?.refused.keys() ?? [])]).toEqual([1, 2])
  expect((await table.run({ users: blocked.slice(0, 1) }))[0]?.refused.size).toBe(0)
  const [report] = await table.run({
    users: [
      { ...second, blocked: '1' },
      { ...user, id: '8', username: 'x', usertype: 'admin' },
    ],
  })
  expect(report?.refused.size).toBe(0)
})

test.each([
  ['email', 'jane@example.com', 'Jane@Example.com'],
  ['uniquehash', 'x', 'x'],
])(
  'refuses the %s of another account, and takes it once that account has given it up',
  async (column, of9, of8) => {
    const table = await aTable()
    const second = { ...user, id: '8', username: 'other', [column]: of8 }
    await table.run({ users: [...(operator.users ?? []), { ...user, [column]: of9 }] })
    const [refused] = await table.run({ users: [second] })
    await table.run({ users: [{ ...user, [column]: 'y' }] })
    const [taken] = await table.run({ users: [second] })

    expect(refused?.refused).toEqual(new Map([[1, `${column} belongs to account 9`]]))
    expect(taken).toMatchObject({ written: 1, refused: new Map() })
  },
)

test('settings may name a currency of the same dataset, and both ends of a range may move', async () => {
  const table = await aTable()
  const [report] = await table.run({
    settings: [
      { name: 'Device_Range_MIN', value: '20000' },
      { name: 'Device_Range_MAX', value: '30000' },
      { name: 'Default_Currency', value: 'EUR' },
      { name: 'API_Secret_Key', value: 'short-key' },
    ],
    currencies: [{ name: 'EUR', exchange_rate: '1' }],
  })

  expect(report).toMatchObject({ written: 4, refused: new Map() })
  expect(report?.remarks).toEqual([expect.stringContaining('API_Secret_Key has fewer than 24 characters')])
})

test('all settings of the dataset that contradict each other or stored settings are refused', async () => {
  const table = await aTable()
  const [report] = await table.run({
    settings: [
      { name: 'Device_Range_MIN', value: '20' },
      { name: 'Device_Range_MAX', value: '10' },
      { name: 'Allow_API', value: '1' },
    ],
  })

  expect(report?.written).toBe(1)
  expect([...(report?.refused.keys() ?? [])]).toEqual([1, 2])
})

test('the customers of a refused account are refused, too', async () => {
  const table = await aTable()
  const [report] = await table.run({
    users: [
      { ...user, id: '3', username: 'c', owner_id: '2' },
      { ...user, id: '2', username: 'b', usertype: 'reseller', owner_id: '1' },
      { ...user, id: '1', username: 'a', usertype: 'reseller', owner_id: '77' },
    ],
  })

  expect(report?.refused.size).toBe(3)
})

test('a device gets no more rules than one transaction can delete with it', async () => {
  const table = await aTable()
  await table.run(operator)
  const rules = Array.from({ length: 81 }, (_, id) => ({ ...rule, id: String(100 + id) }))
  const [report] = await table.run({ device_rules: rules })

  expect(report?.written).toBe(79)
  expect([...(report?.refused.values() ?? [])]).toEqual(Array(2).fill('device 10 has 80 rules already'))
})
