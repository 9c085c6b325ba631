import { describe, expect, onTestFinished, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { checkPassword, hashCost, hashPassword } from '#lib/accounts/password.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { findDevice, listDevicesOf } from '#lib/devices/device-stored.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import { people } from '#test/examples/examples.ts'
import { storedLoginCounters } from '#test/logins.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, signedForm, type World } from '#test/world.ts'
import { method as paymentsGet } from '../billing/payments_get.ts'
import { method } from './user_register.ts'

const users = people.map((person) => ({
  ...person,
  uniquehash: `hash of ${person.username}`,
  ...(person.username === 'rick' && { default_tariff_id: '2', default_postpaid: '1', default_credit: '25' }),
}))

const tariff = { purpose: 'retail', currency: 'USD' }

const rows = {
  users,
  tariffs: [
    { ...tariff, id: '1', name: 'Retail', owner_id: '0' },
    { ...tariff, id: '2', name: 'From Rick', owner_id: '2' },
  ],
  lcrs: [
    { id: '3', name: 'Cheap', owner_id: '0' },
    { id: '5', name: 'Of Rick', owner_id: '2' },
  ],
  locations: [
    { id: '4', name: 'Texas', owner_id: '0' },
    { id: '6', name: 'Of Rick', owner_id: '2' },
  ],
}

const aRegistration = (settings = {}): Promise<World> =>
  aWorld(rows, {
    API_allow_Registration: '1',
    Default_User_Tariff: '1',
    Server_IP: '198.51.100.5',
    ...settings,
  })

const JANE = {
  email: 'Jane@example.com',
  device_type: 'SIP',
  username: 'jane',
  first_name: 'Jane',
  last_name: 'Doe',
  password: 'Secret-1',
  password2: 'Secret-1',
  country_id: '80',
}

const register = (world: World, changed: Readonly<Record<string, string>> = {}) =>
  world.call(method, undefined, { ...JANE, ...changed })

const idIn = (answer: string): number => Number(/<user_id>(\d+)/.exec(answer)?.[1])

test('a customer and its first device are registered', async () => {
  const world = await aRegistration()
  const answer = await register(world, { state: 'Texas', phone: '441', client_id: 'C-7', caller_id: '4412' })
  const id = idIn(answer)
  const [account, [caller], [listed]] = await Promise.all([
    findWholeAccount(world.store, id),
    findCallers(world.store, ['jane']),
    listDevicesOf(world.store, id),
  ])
  const device = await findDevice(world.store, listed?.id ?? 0)

  expect(answer).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><status>Registration successful</status><user_id>41</user_id>' +
      `<user_device_settings><device_type>SIP</device_type><username>1001</username><password>${device?.secret}</password>` +
      `<pin>${device?.pin}</pin><server_ip>198.51.100.5</server_ip></user_device_settings></page>`,
  )
  expect(account).toMatchObject({
    username: 'jane',
    usertype: 'user',
    owner_id: 0,
    email: 'Jane@example.com',
    tariff_id: 1,
    currency: 'USD',
    postpaid: false,
    credit: '0',
    balance: '0',
    state: 'Texas',
    phone: '441',
    clientid: 'C-7',
    country_id: 80,
    device_count: 1,
    uniquehash: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect((await checkPassword('Secret-1', caller?.password_hash)).matches).toBe(true)
  expect(device).toMatchObject({
    user_id: id,
    owner_id: 0,
    name: '1001',
    extension: '1001',
    primary_device: 'yes',
    callerid: '<4412>',
    port: 5060,
    extra: [],
  })
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['12.5', '2026-03-01', '12.5'],
  ['-3', '2026-03-01', '-3'],
  ['12.5', '', '0'],
])(
  'an initial balance of %s is a payment, with balances from %j it is worth %s',
  async (amount, from, paid) => {
    const world = await aRegistration({ Default_User_Balance: amount, Balance_From: from })
    const id = idIn(await register(world, { id: 'hash of rick' }))

    expect(await world.call(paymentsGet, 'rick', { s_user_id: id })).toMatch(
      new RegExp(`<type>Initial balance</type>.*<amount>${amount}`),
    )
    expect((await findBalance(world.store, id))?.balance).toEqual({
      opening: '0',
      paid,
      adjusted: '0',
      charged: '0',
      fees: '0',
    })
    expect(await damageIn(world)).toEqual([])
  },
)

test("a reseller's customers get its defaults, a notice comes last, a location is the device's", async () => {
  const world = await aRegistration({ Registration_Notice: 'Welcome', Default_User_Currency: 'EUR' })
  const answer = await register(world, {
    id: 'hash of rick',
    lcr_id: '5',
    device_location_id: '6',
    device_type: 'virtual',
    caller_id: 'Jane Doe',
  })
  const account = await findWholeAccount(world.store, idIn(answer))
  const [listed] = await listDevicesOf(world.store, idIn(answer))

  expect(answer).toContain('</server_ip><registration_notice>Welcome</registration_notice></user_device')
  expect(account).toMatchObject({ owner_id: 2, tariff_id: 2, postpaid: true, credit: '25', currency: 'EUR' })
  expect(await findDevice(world.store, listed?.id ?? 0)).toMatchObject({
    device_type: 'Virtual',
    callerid: '"Jane Doe"',
    extra: [['location_id', '6']],
  })
  expect(await damageIn(world)).toEqual([])
})

test('a customer of any admin belongs to account 0', async () => {
  const world = await aRegistration()
  const adam = { id: '7', username: 'adam', usertype: 'admin', owner_id: '0', uniquehash: 'hash of adam' }
  await world.given({ users: [{ ...adam, password_hash: '0'.repeat(40) }] })

  const id = idIn(await register(world, { id: 'hash of adam' }))

  expect(await findWholeAccount(world.store, id)).toMatchObject({ owner_id: 0, tariff_id: 1 })
})

test.each([
  ['the setting is off', {}, { API_allow_Registration: '0' }, 'Registration over API is disabled'],
  ['an unknown owner', { id: 'x' }, {}, 'Dont be so smart'],
  ['a blocked owner', { id: 'hash of ben' }, {}, 'Dont be so smart'],
  ['an owner who owns nobody', { id: 'hash of bob' }, {}, 'Dont be so smart'],
  ['no username', { username: ' ' }, {}, 'Please enter username'],
  ['no device type', { device_type: '' }, {}, 'Enter device type'],
  ['a username that is taken', { username: 'bob' }, {}, 'Such username is already taken'],
  ['a username of 256 characters', { username: 'x'.repeat(256) }, {}, 'username is invalid'],
  ['different passwords', { password2: 'secret-1' }, {}, 'Passwords do not match'],
  [
    'a short password',
    { password: 'short', password2: 'short' },
    {},
    'Password must be longer than 5 characters',
  ],
  [
    'a password that another installation takes',
    {},
    { Default_User_Password_length: '9' },
    'Password must be longer than 8 characters',
  ],
  ['a blank first name', { first_name: '' }, {}, 'Please enter first name'],
  ['a blank last name', { last_name: ' ' }, {}, 'Please enter last name'],
  ['no country', { country_id: '' }, {}, 'Please select country'],
  ['country 0', { country_id: '0' }, {}, 'Please select country'],
  ['a country by name', { country_id: 'Spain' }, {}, 'Please select country'],
  ['no email', { email: '' }, {}, 'Please enter email'],
  ['no default tariff', {}, { Default_User_Tariff: '' }, 'Default user is not present'],
  ['a default tariff that does not exist', {}, { Default_User_Tariff: '9' }, 'Default user is not present'],
  ['a reseller without a default tariff', { id: 'hash of rita' }, {}, 'Default user is not present'],
  ['an unknown LCR', { lcr_id: '99' }, {}, 'LCR was not found'],
  ["a reseller's LCR", { lcr_id: '5' }, {}, 'LCR was not found'],
  ['an unknown location', { device_location_id: 'x' }, {}, 'Location was not found'],
  ["a reseller's location", { device_location_id: '6' }, {}, 'Location was not found'],
  [
    'a weak password',
    { password: 'secret-1', password2: 'secret-1' },
    { Use_strong_passwords: '1' },
    'Password must contain at least one numeric value, capital and lowercase symbol',
  ],
  ['an unknown device type', { device_type: 'radio' }, {}, 'Device type invalid'],
  ['a caller identity with a quote', { caller_id: 'Ja"ne' }, {}, 'caller_id is invalid'],
  ['a caller identity that XML cannot hold', { caller_id: 'Jane\uffff' }, {}, 'caller_id is invalid'],
  ['characters that cannot be stored', { city: 'a\u0000' }, {}, 'city has invalid characters'],
  ['no device left', {}, { Device_Limit: '0' }, 'Device limit is reached'],
  ['no extension left', {}, { Device_Range_MIN: '112', Device_Range_MAX: '112' }, 'No free extension'],
])('refuses: %s', async (_case, changed, settings, message) => {
  const world = await aRegistration({ Trusted_Login_Addresses: '192.0.2.0/24', ...settings })

  expect(await world.callInVain(method, undefined, { ...JANE, ...changed })).toContain(
    `<page><error>${message}</error></page>`,
  )
})

test('an email address in use is refused in any case of letters, and nothing tells whose it is', async () => {
  const world = await aRegistration()
  await register(world)

  expect(await register(world, { username: 'june', email: ' jane@EXAMPLE.com' })).toContain(
    '<page><error>This email address is already in use</error></page>',
  )
})

test('the same registration again is refused: it does not answer the secret of the device', async () => {
  const world = await aRegistration()
  await register(world)

  expect(await register(world)).toContain('<page><error>Such username is already taken</error></page>')
})

test.each(['admin', 'bob', 'nobody'])('an account in u changes nothing: %s', async (u) => {
  const world = await aRegistration()

  expect(await register(world, { u })).toContain('<user_id>41</user_id>')
  expect(await findWholeAccount(world.store, 41)).toMatchObject({ owner_id: 0 })
})

test.each([
  ['username', 'admin '],
  ['username', ' admin'],
  ['username', 'ad\u200bmin'],
  ['username', '\u202enimda'],
  ['username', 'ad\tmin'],
  ['email', 'jane@example.com\r\nBcc: all@example.com'],
  ['username', 'ad\u3164min'],
  ['email', 'jane@exam\u200bple.com'],
  ['email', 'jane@example.com\r\n'],
  ['email', 'jane doe@example.com'],
])('refuses a %s that does not look like what it is: %j', async (name, value) => {
  expect(await register(await aRegistration(), { [name]: value })).toContain(
    `<error>${name} is invalid</error>`,
  )
})

/** Counts the hashes that are made from now on, by how often their cost is read. */
async function countHashes(): Promise<() => number> {
  const { p } = hashCost
  let reads = 0
  Object.defineProperty(hashCost, 'p', { configurable: true, enumerable: true, get: () => ++reads && p })
  onTestFinished(() => void Object.defineProperty(hashCost, 'p', { value: p, writable: true }))
  await hashPassword('secret')
  const readsOfOne = reads
  return () => reads / readsOfOne - 1
}

test('of registrations at once all are made, with one hash each', async () => {
  const world = await aRegistration({ Trusted_Login_Addresses: '192.0.2.0/24' })
  const hashes = await countHashes()
  const answers = await Promise.all(
    ['jane-1', 'jane-2', 'jane-3', 'jane-4'].map((username) =>
      register(world, { username, email: `${username}@example.com` }),
    ),
  )

  expect(answers.filter((answer) => answer.includes('Registration successful'))).toHaveLength(4)
  expect(hashes()).toBe(4)
})

test('a table without a counter of account ids gets one above all accounts', async () => {
  const world = await aRegistration()
  await world.store.transact([{ remove: idCounterKey('account') }])

  expect(idIn(await register(world))).toBe(41)
  await world.store.update(idCounterKey('account'), { set: { last: 9 } })
  expect(idIn(await register(world, { username: 'june', email: 'june@example.com' }))).toBe(42)
})

describe('attempts of an address', () => {
  test('after thirty refusals it has to wait, and nothing is looked up before', async () => {
    const world = await aRegistration()
    for (let attempt = 0; attempt < 30; attempt += 1) await register(world, { username: 'bob' })
    const before = await world.dump()

    expect(await register(world)).toContain(
      '<page><error>Please wait 10 seconds before trying again</error></page>',
    )
    expect(await world.dump()).toEqual(before)
    world.now = new Date(world.now.getTime() + 10_000)
    expect(await register(world)).toContain('Registration successful')
  })

  test('a success is not counted', async () => {
    const world = await aRegistration()
    await register(world)

    expect(storedLoginCounters(await world.dump())).toMatchObject([{ failures: 0, in_flight: 0 }])
  })
})

test.each([
  ['six values', {}, 'cfdfe53ba61212f7bca2af8915bf61865a62225d'],
  [
    'ten values',
    { lcr_id: '3', caller_id: '37060000000', state: 'Texas', device_location_id: '4' },
    'a9c1208f7205dcfb732a49bad349320debb043b3',
  ],
])('the vector over %s is a signature', async (_what, further, hash) => {
  const world = await aRegistration({ API_Secret_Key: 'secret' })
  const { password, password2, country_id, ...signed } = {
    ...JANE,
    email: 'jane@example.com',
    id: 'k1j2h3g4f5',
  }
  const body = new URLSearchParams({ ...signed, ...further, hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain('<error>Dont be so smart</error>')
})

test('a value that is not signed is refused at the gate', async () => {
  const world = await aRegistration()
  const body = `${signedForm(method, JANE)}&state=Texas`

  expect(bodyOf(await world.send(method, { body }))).toContain(
    '<status><error>Incorrect hash</error></status>',
  )
})
