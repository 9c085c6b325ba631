import { expect, test } from 'vitest'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { nextId } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { knownSwitch } from '#test/control/switch.ts'
import { importInto, importOne } from '#test/datasets/import-rows.ts'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { dialogEvent } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { sharedNamesAmong } from '#tools/commands/check-data/check-data.ts'
import { method as deviceCreate } from '../devices/device_create.ts'
import { method as deviceDelete } from '../devices/device_delete.ts'
import { method as deviceUpdate } from '../devices/device_update.ts'
import { method as detailsUpdate } from './user_details_update.ts'
import { method as register } from './user_register.ts'

// An account code is a username, then an id, and a code that is neither leads to the device.

const device = (id: string, user_id: string, name: string, extension = '') => ({
  id,
  user_id,
  name,
  extension,
  device_type: 'SIP',
})

const rows = {
  users: people.map((person) => ({ ...person, tariff_id: '1' })),
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  rates: [rate({ prefix: '44', tariff_rate: '0.2' })],
  devices: [device('1', '20', 'lobby', '2030')],
}

const SETTINGS = {
  API_allow_Registration: '1',
  Default_User_Tariff: '1',
  Device_Range_MIN: '2030',
  Device_Range_MAX: '2999',
}

const aHotel = (more: Partial<typeof rows> = {}) => aWorld({ ...rows, ...more }, SETTINGS)

const registered = (world: World, username: string) =>
  world.call(register, undefined, {
    email: `${encodeURIComponent(username)}@example.com`,
    device_type: 'SIP',
    username,
    first_name: 'Jane',
    last_name: 'Doe',
    password: 'Secret-1',
    password2: 'Secret-1',
    country_id: '80',
  })

const renamed = (world: World, user_id: number, u9: string) =>
  world.call(detailsUpdate, 'admin', { user_id, u9 })

const namesIn = (items: readonly { readonly PK?: unknown }[]) =>
  items.filter(({ PK }) => /^(USER|CALLER|DIALLED)#/.test(String(PK)))

test.each([
  ['the extension of a device', '2030'],
  ['the name of a device', 'lobby'],
  ['the id of another account', '20'],
  ['a username', 'carol'],
  ['a username in other case', 'Carol'],
  ['a username in other letters', '\u0441\u0430r\u043el'],
])('a new username is not %s', async (_case, username) => {
  const world = await aHotel()
  const before = await world.dump()

  expect(await registered(world, username)).toContain('Such username is already taken')
  expect(await renamed(world, 10, username)).toMatch(/<error>User was not updated|u9 is the/)
  expect(
    await importOne(world, 'users', [{ ...people[5], username, tariff_id: '1' }], { rename: true }),
  ).toMatchObject({
    refused: new Map([[1, expect.stringMatching(/^username (is|belongs to)/)]]),
  })
  expect(namesIn(await world.dump())).toEqual(namesIn(before))
})

test('an account may write its own name otherwise', async () => {
  const world = await aHotel()

  expect(await renamed(world, 10, 'Bob')).toContain('User updated')
  expect(await renamed(world, 11, 'bob')).toContain('User was not updated')
})

test('a telephone number, and the own id, are usernames', async () => {
  const world = await aHotel()

  expect(await registered(world, '37060012345')).toContain('Registration successful')
  expect(await renamed(world, 10, '10')).toContain('User updated')
  expect(await damageIn(world)).toEqual([])
})

test('a registration costs two write units more than before there were such names, and a device none', async () => {
  const world = await aHotel()
  await registered(world, 'first')
  await registered(world, 'jane')
  expect(world.log.at(-1)).toMatchObject({ write_units: 27 })
  await world.call(deviceCreate, 'admin', { user_id: 11 })
  expect(world.log.at(-1)).toMatchObject({ write_units: 12 })
})

test('a word that was given up is free at once, and the own username is a word for the own device', async () => {
  const world = await aHotel()
  await renamed(world, 10, '2500')
  await renamed(world, 10, '2501')
  expect(await world.call(deviceCreate, 'admin', { user_id: 11, extension: '2500' })).toContain('created')
  expect(
    await world.call(deviceUpdate, 'admin', { device: 2, extension: '2502', device_name: '2502' }),
  ).toContain('successfully')
  expect(await renamed(world, 10, '2500')).toContain('User updated')
  expect(await world.call(deviceCreate, 'admin', { user_id: 10, extension: '2500' })).toContain('created')
  expect(await world.call(deviceDelete, 'admin', { device: 2 })).toContain('deleted')
  expect(await renamed(world, 11, '2502')).toContain('User updated')
  expect(await damageIn(world)).toEqual([])
})

/** A store whose first transaction comes after something else. */
function storeAfter(store: Store, before: () => Promise<unknown>): Store {
  let isFirst = true
  const transact: Store['transact'] = async (...args) => {
    if (isFirst) {
      isFirst = false
      await before()
    }
    return store.transact(...args)
  }
  return { ...store, transact }
}

const mia = { ...people[5], id: '60', username: '2500', tariff_id: '1' }

test.each([
  ['an account', 'users', [mia], 'username is the name or extension of device'],
  ['a renamed account', 'users', [{ ...people[3], username: '2500', tariff_id: '1' }], 'username is'],
] as const)('%s of a file comes after a device that takes its word', async (_case, file, given, reason) => {
  const world = await aHotel()
  const store = storeAfter(world.store, () =>
    world.call(deviceCreate, 'admin', { user_id: 11, extension: '2500' }),
  )

  const report = await importOne({ ...world, store }, file, given, { rename: true, unforeseen: true })
  expect([...(report?.refused.values() ?? [])]).toEqual([expect.stringContaining(reason)])
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['a device', [device('5', '20', '2500')]],
  ['a renamed device', [device('1', '20', '2500', '2030')]],
])('%s of a file comes after an account that takes its word', async (_case, given) => {
  const world = await aHotel()
  const store = storeAfter(world.store, () => renamed(world, 10, '2500'))

  const report = await importOne({ ...world, store }, 'devices', given, {
    rename: true,
    unforeseen: true,
  })
  expect(report?.refused).toEqual(new Map([[1, 'name is the username of account 10']]))
  expect(await damageIn(world)).toEqual([])
})

test('a dataset brings both halves of a pair, and devices of one more account, in few transactions', async () => {
  const world = await aHotel()
  const users = [mia, { ...mia, id: '61', username: 'zoe', email: '', uniquehash: 'z' }]
  const given = [device('5', '20', '2500'), device('6', '61', 'zoe'), device('7', '61', 'zoe-2')]

  const reports = await importInto(world, { users, devices: given })
  expect(reports).toMatchObject([{ written: 2 }, { written: 3 }])
  expect(await sharedNamesAmong(world.store, (await world.dump()) as Item[])).toEqual([
    expect.stringMatching(/^"2500" is the username of account 60 and names device 5/),
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a next extension that is the own username is one word', async () => {
  const world = await aHotel()
  await registered(world, 'first')

  const answer = await registered(world, '2032')
  expect(answer).toContain('<username>2032</username>')
  expect(await damageIn(world)).toEqual([])
  expect(await renamed(world, Number(/<user_id>(\d+)/.exec(answer)?.[1]), 'wendy')).toContain('User updated')
  expect(await damageIn(world)).toEqual([])
})

test('check-data names a word that is kept for an account of another username', async () => {
  const world = await aHotel()
  await renamed(world, 10, '2500')
  await world.store.update(accountKey(10), { set: { username: 'bob' } })

  expect(await damageIn(world)).toContainEqual(expect.stringContaining('keeps a word for account 10'))
})

test('new extensions and ids skip usernames, and device words are no usernames of others', async () => {
  const world = await aHotel()
  await renamed(world, 10, '2031')
  await renamed(world, 11, '2032')
  await world.store.update({ PK: 'ID#account', SK: 'ID' }, { set: { last: 2030 } })

  expect(await world.call(deviceCreate, 'admin', { user_id: 10 })).toContain('<username>2033</username>')
  expect(await world.call(deviceCreate, 'admin', { user_id: 10, extension: '2032' })).toContain(
    'Extension is already used',
  )
  expect(await world.call(deviceUpdate, 'admin', { device: 2, device_name: 'dave' })).toContain(
    'Device name is already used',
  )
  expect(await world.call(deviceCreate, 'admin', { user_id: 11, extension: '2032' })).toContain(
    'device_created',
  )
  expect(await world.call(deviceUpdate, 'admin', { device: 2, extension: '2032' })).toContain(
    'Extension is already used',
  )
  expect(await world.call(deviceUpdate, 'admin', { device: 3, device_name: '2032' })).toContain(
    'successfully updated',
  )
  expect(await registered(world, 'next')).toContain('<user_id>2034</user_id>')
})

test('an import keeps pairs of a dataset and refuses a pair with a stored row', async () => {
  const pair = { ...people[5], id: '50', username: '2030', tariff_id: '1' }
  const world = await aHotel({ users: [...rows.users, pair] as typeof rows.users })

  expect((await findWholeAccount(world.store, 50))?.username).toBe('2030')
  expect(await importOne(world, 'devices', [device('2', '20', 'bob', '')])).toMatchObject({
    refused: new Map([[1, 'name is the username of account 10']]),
  })
  expect(await importOne(world, 'devices', [device('2', '10', 'bob', '')])).toMatchObject({ written: 1 })
  expect(await importOne(world, 'devices', [device('1', '20', 'lobby', '2030')])).toMatchObject({
    refused: new Map(),
  })
  expect(await importOne(world, 'users', [pair])).toMatchObject({ refused: new Map() })
  await renamed(world, 11, '60')
  expect(await importOne(world, 'users', [{ ...pair, id: '60', username: 'sixty' }])).toMatchObject({
    refused: new Map([[1, 'id is the username of account 11']]),
  })
})

const cdr = (world: World, uniqueid: string, account_code: string) => ({
  body: `uniqueid,start,src,dst,duration,billsec,account_code\n${uniqueid},${world.now.getTime() / 1000 - 60},1,442079460000,60,60,${account_code}\n`,
})

test('a code that became a username and the id of another account is suspended', async () => {
  const world = await aHotel()
  await renamed(world, 10, '4711')
  const other = await world.store.get(accountKey(11))
  await world.store.transact([{ put: { ...other, ...accountKey(4711), id: 4711 } }])
  const authorization = await anIntake(world, 'fs1')

  await post(world, 'csv', { ...cdr(world, 'a', '4711'), headers: { authorization } })
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'ambiguous_account' }])
})

test('a pair from before reads as the username', async () => {
  const pair = { ...people[5], id: '50', username: '20', tariff_id: '1' }
  const world = await aHotel({ users: [...rows.users, pair] as typeof rows.users })
  const authorization = await anIntake(world, 'fs1')

  await post(world, 'csv', { ...cdr(world, 'a', '20'), headers: { authorization } })
  expect(await suspenseOf(world)).toEqual([])
  expect(await nextId(world.store, 'account')).toBeGreaterThan(50)
})

test.each([
  ['names', 50, 'as a username'],
  ['ids', 20, 'as the id'],
] as const)('a switch whose codes are %s has its pair read as account %i', async (codes, payer, _what) => {
  const pair = { ...people[5], id: '50', username: '20', tariff_id: '1' }
  const world = await aHotel({ users: [...rows.users, pair] as typeof rows.users })
  const authorization = await anIntake(world, 'fs1', { codes })
  const events = [0, 60].map((seconds) =>
    dialogEvent(seconds === 0 ? 'INVITE' : 'BYE', '200', 0, {
      accountcode: '20',
      dst_user: '442079460000',
      time: String(world.now.getTime() / 1000 - 60 + seconds),
    }),
  )

  await post(world, 'csv', { ...cdr(world, 'a', '20'), headers: { authorization } })
  for (const body of events) await post(world, 'kamailio-json', { body, headers: { authorization } })
  expect((await searchedCalls(world)).map(({ user_id }) => user_id)).toEqual([payer, payer])
  await post(world, 'csv', {
    ...cdr(world, 'b', codes === 'ids' ? 'carol' : '10'),
    headers: { authorization },
  })
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_account' }])
})

test('call control reads the codes of a switch as its CDRs', async () => {
  const pair = { ...people[5], id: '50', username: '20', tariff_id: '1', blocked: '1' }
  const world = await aHotel({ users: [...rows.users, pair] as typeof rows.users })
  await world.set({ Call_Control: '1', Balance_From: '2026-03-01' })
  const allowed = async (name: string, codes: 'names' | 'ids') => {
    const { authorize } = knownSwitch(world, await anIntake(world, name, { codes }))
    return (await authorize({ call: 'a', sip_user: '', account_code: '20' })).allow
  }

  expect(await allowed('fs1', 'names')).toBe(false)
  expect(await allowed('fs2', 'ids')).toBe(true)
})

test('check-data names the pairs that it finds', async () => {
  const pairs = [
    { ...people[5], id: '50', username: '20', tariff_id: '1' },
    { ...people[5], id: '51', username: '2030', tariff_id: '1' },
    { ...people[5], id: '52', username: '52', tariff_id: '1' },
  ]
  const world = await aHotel({
    users: [...rows.users, ...pairs] as typeof rows.users,
    devices: [...rows.devices, device('2', '52', '52', '9052')],
  })

  expect(await sharedNamesAmong(world.store, (await world.dump()) as Item[])).toEqual([
    expect.stringMatching(/^"20" is the username of account 50 and the id of account 20: .*--codes/),
    expect.stringMatching(/^"2030" is the username of account 51 and names device 1 of account 20: /),
  ])
  expect(await damageIn(world)).toEqual([])
})

test('an import does not give the address of a stored device to another owner', async () => {
  const trunk = (id: string, user_id: string, host: string) => ({
    ...device(id, user_id, `trunk-${id}`),
    host,
    authentication: 'ip',
  })
  const world = await aHotel({
    devices: [
      trunk('1', '10', '198.51.100.7'),
      trunk('2', '20', '198.51.100.7'),
      trunk('3', '10', '198.51.100.8'),
      trunk('6', '10', '2001:0DB8::0:6'),
      trunk('7', '10', '203.0.113.0/24'),
      trunk('8', '10', '192.0.2.77'),
    ],
  })
  const refused = async (row: ReturnType<typeof trunk>) => [
    ...((await importOne(world, 'devices', [row]))?.refused.values() ?? []),
  ]

  expect(await refused(trunk('4', '20', '198.51.100.8'))).toEqual([
    'host: the address 198.51.100.8 is that of a device of another owner',
  ])
  expect(await refused(trunk('4', '20', '::ffff:198.51.100.8'))).toEqual([
    'host: the address 198.51.100.8 is that of a device of another owner',
  ])
  for (const spelling of ['2001:db8::6', '2001:0db8::6', '2001:0DB8::0:6'])
    expect(await refused(trunk('4', '20', spelling))).toEqual([
      'host: the address 2001:db8::6 is that of a device of another owner',
    ])
  for (const other of ['203.0.113.0/24', '203.0.113.9', '192.0.2.0/24', '::/0'])
    expect(await refused(trunk('4', '20', other))).toEqual([])
  expect(await refused(trunk('4', '11', '198.51.100.8'))).toEqual([])
  expect(await refused(trunk('2', '20', '198.51.100.7'))).toEqual([])
  expect(await refused({ ...trunk('5', '20', '198.51.100.8'), authentication: 'password' })).toEqual([])
})
