import { expect, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { accountKey, locationKey } from '#lib/table/keys.ts'
import { aConsoleClient, aSignedClient, type ConsoleAnswer } from '#test/console/console-client.ts'
import { estates, usernameOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

type Rows = readonly { readonly id: string; readonly values: Readonly<Record<string, string>> }[]

const costOf = (world: World) => world.log.at(-1) as { read_units: number; write_units: number }

const recordIn = ({ body }: ConsoleAnswer) => body['record'] as Rows[number]

const problemsIn = ({ status, body }: ConsoleAnswer) => [
  status,
  ((body['error'] as { readonly fields?: Rows })?.fields ?? []) as unknown,
]

const problem = (name: string, message: string) => ({ name, message })

test('a customer is added, shown, renamed and logged; its password is hashed, never answered', async () => {
  const world = await aWorld(estates)
  await world.set({ Default_User_Tariff: '3000' })
  const client = await aSignedClient(world, 'admin')
  const given = { username: 'anna', first_name: 'Anna', last_name: 'Adams', email: 'anna@example.com' }

  const added = await client.send('POST', '/records/accounts', { ...given, password: 'long-enough' })
  const { write_units } = costOf(world)
  const path = `/records/accounts/${added.body['id']}`
  const { body } = await client.get(path)

  expect(added).toMatchObject({ status: 200, body: { id: '41', generated: {} } })
  expect(body).toMatchObject({
    record: { name: 'Anna Adams', values: { ...given, password: '', tariff_id: '3000', credit: '0' } },
    names: { tariff_id: 'Tariff of-0', owner_id: 'of-0' },
    may: ['add', 'change'],
  })
  expect(JSON.stringify(body)).not.toMatch(/long-enough|scrypt|hash-of/)
  // Its id 1, the account 3 with its list, its name and word, email, uniquehash, log entry and two texts, each 2.
  expect(write_units).toBe(18)

  expect((await client.send('PUT', path, { username: 'ann', tariff_id: '3010' })).status).toBe(200)
  expect((await client.send('PUT', path, { username: 'ann', tariff_id: '3010' })).status).toBe(200)
  const [ann] = await findCallers(world.store, ['ann'])
  expect(ann).toMatchObject({ id: 41, tariff_id: 3010 })
  expect(await checkPassword('long-enough', ann?.password_hash)).toMatchObject({ matches: true })
  const log = await listNewestLogEntries(world.store, 9)
  expect(log.map((entry) => 'did' in entry && entry.did).sort()).toEqual([
    'added',
    'changed username, tariff_id',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('all problems of a record are told at once, each with its remedy', async () => {
  const client = await aSignedClient(await aWorld(estates), 'admin')
  const wrong = { credit: '12,50', tariff_id: '7', usertype: 'x', agreement_date: 'soon', shoe_size: '44' }

  expect(problemsIn(await client.send('POST', '/records/accounts', wrong))).toEqual([
    400,
    [
      problem('username', 'Fill this in'),
      problem('shoe_size', 'There is no such field'),
      problem('usertype', 'x: choose one of admin, reseller, accountant, partner, user'),
      problem('agreement_date', 'soon: write a day such as 2026-03-10'),
      problem('credit', '12,50: write 12.50'),
      problem('tariff_id', 'There is no tariff 7: choose one of the list'),
    ],
  ])
  expect(problemsIn(await client.send('PUT', '/records/accounts/10', { username: 'carol' }))).toEqual([
    400,
    [problem('username', 'Username belongs to account 20')],
  ])
  expect(problemsIn(await client.send('PUT', '/records/accounts/0', { blocked: '1' }))).toMatchObject([
    400,
    [{ message: expect.stringContaining('last active admin') }],
  ])
})

const OF_EACH_KIND = [
  ['tariffs', { name: 'Retail' }, { name: 'Retail 2' }],
  ['providers', { name: 'Rhine', names: 'rhine1 rhine2' }, { names: 'rhine3', tariff_id: '3000' }],
  ['dids', { did: '37052001234', user_id: '10' }, { device_id: '1010' }],
  ['currencies', { name: 'NOK', exchange_rate: '11.5' }, { exchange_rate: '11.6' }],
  ['services', { name: 'Line', price: '5', charged: 'monthly' }, { charged: 'once' }],
  ['subscriptions', { user_id: '10', service_id: '6000', from: '2026-04-01' }, { till: '2026-04-30' }],
  ['devices', { user_id: '10' }, { extension: '77', comment: 'hall' }],
  ['device-rules', { device_id: '1010', name: 'Zero', cut: '00' }, { add: '370' }],
  ['locations', { name: 'Office' }, { name: 'Head office' }],
  ['location-rules', { location_id: '2000', name: 'Zero', cut: '00' }, { add: '370' }],
] as const

test('each kind is added under a free id, changed, and removed where it may go', async () => {
  const world = await aWorld(estates)
  await world.set({ Charges_From: '2026-01-01' })
  const client = await aSignedClient(world, 'admin')
  for (const [kind, given, changed] of OF_EACH_KIND) {
    const { status, body } = await client.send('POST', `/records/${kind}`, given)
    expect([kind, status, body]).toEqual([
      kind,
      200,
      { id: expect.any(String), generated: expect.anything() },
    ])
    const path = `/records/${kind}/${body['id']}`
    expect([kind, (await client.send('PUT', path, changed)).status]).toEqual([kind, 200])
    const record = recordIn(await client.get(path))
    expect(record.values).toMatchObject({ ...given, ...changed })
    const removed = await client.send('DELETE', path)
    expect([kind, removed.status]).toEqual([kind, /device|rules/.test(kind) ? 200 : 403])
  }
  expect(await listNewestLogEntries(world.store, 40)).toHaveLength(OF_EACH_KIND.length * 2 + 3)
  expect(await damageIn(world)).toEqual([])
})

test('a record without a name of its own is named by what people know it by, in lists, links and the log', async () => {
  const world = await aWorld(estates)
  await world.given({
    services: [{ id: '77', name: 'Flat rate', owner_id: '0' }],
    devices: [{ id: '99', user_id: '10', name: 'trunk-99', username: '', authentication: 'ip' }],
  })
  const client = await aSignedClient(world, 'admin')

  const of = { user_id: '10', service_id: '77', from: '2026-04-01' }
  const { body } = await client.send('POST', '/records/subscriptions', of)
  const path = `/records/subscriptions/${body['id']}`
  const listed = async (kind: string, inList = {}) =>
    ((await client.get(`/records/${kind}`, inList)).body['records'] as { name: string }[]).map(
      ({ name }) => name,
    )

  expect(recordIn(await client.get(path))).toMatchObject({ name: 'Flat rate' })
  expect(await listed('subscriptions')).toContain('Flat rate')
  expect(await listed('devices', { of: '10' })).toContain('trunk-99')
  expect(await listNewestLogEntries(world.store, 1)).toMatchObject([
    { action: `added subscription ${body['id']} "Flat rate"` },
  ])
  await client.send('PUT', path, { memo: 'hall' })
  expect(await listed('subscriptions')).toContain('hall')
})

test('a list has the names of what its rows name, at most 15 units a page, and subscriptions begin today', async () => {
  const world = await aWorld(estates)
  const ids = Array.from({ length: 20 }, (_, index) => String(700 + index))
  await world.set({ Timezone: 'Pacific/Auckland' })
  await world.given({
    services: ids.map((id) => ({ id, name: `Service ${id}`, owner_id: '0' })),
    users: ids.map((id) => ({
      ...{ id, owner_id: '0', username: `u${id}`, usertype: 'user', password_hash: '0'.repeat(40) },
    })),
  })
  world.now = new Date('2026-04-01T20:00:00Z')
  const client = await aSignedClient(world, 'admin')
  for (const id of ids) {
    world.now = new Date(world.now.getTime() + 1)
    await client.send('POST', '/records/subscriptions', { user_id: id, service_id: id })
  }

  const found: Rows[number][] = []
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await client.get('/records/subscriptions', { named: 'user_id,service_id', after })
    expect(costOf(world).read_units).toBeLessThanOrEqual(15)
    found.push(...(body['records'] as Rows))
    after = body['next'] as string | null
  }

  const ofToday = found.filter(({ values }) => values['from'] === '2026-04-02')
  expect(new Set(ofToday)).toEqual(
    new Set(
      ids.map((id) =>
        expect.objectContaining({
          values: expect.objectContaining({ user_id: id, service_id: id }),
          names: { user_id: `u${id}`, service_id: `Service ${id}` },
        }),
      ),
    ),
  )
})

test("a device has device_create's defaults; its secret is told once, and kept while masked", async () => {
  const world = await aWorld(estates)
  await world.set({ Device_Limit: '10' })
  const client = await aSignedClient(world, 'admin')

  const { body } = await client.send('POST', '/records/devices', { user_id: '10' })
  const path = `/records/devices/${body['id']}`
  const { values } = recordIn(await client.get(path))
  expect(body['generated']).toEqual({
    extension: '1001',
    name: '1001',
    secret: expect.stringMatching(/^\w{12}$/),
    pin: expect.stringMatching(/^\d{4}$/),
  })
  expect(values).toMatchObject({ username: '1001', secret: '********', pin: '********', port: '5060' })

  const before = await world.dump()
  expect((await client.send('PUT', path, { secret: '********' })).status).toBe(200)
  expect(await world.dump()).toEqual(before)
  expect(problemsIn(await client.send('PUT', path, { secret: 'a"b;c' }))).toEqual([
    400,
    [problem('secret', 'Use at least 8 characters')],
  ])
  expect(
    problemsIn(await client.send('POST', '/records/devices', { user_id: '10', extension: '5020' })),
  ).toEqual([409, [problem('extension', 'The extension is used already.')]])
  expect(await client.send('POST', '/records/devices', { user_id: '10' })).toMatchObject({
    status: 409,
    body: { error: { message: 'The limit of devices is reached.' } },
  })
})

test('a note on a customer is for those who sell to it: the customer sees it nowhere', async () => {
  const world = await aWorld(estates)
  const admin = await aSignedClient(world, 'admin')
  for (const id of [2, 10, 20])
    expect((await admin.send('PUT', `/records/accounts/${id}`, { comment: 'pays late' })).status).toBe(200)
  expect(recordIn(await admin.get('/records/accounts/10')).values).toMatchObject({ comment: 'pays late' })

  for (const [id, paths] of [
    [10, ['/session', '/customers/10', '/records/accounts/10', '/own/documents', '/own/dues']],
    [20, ['/session', '/customers/20', '/records/accounts/20', '/own/documents', '/own/dues']],
    [2, ['/session', '/customers/2', '/records/accounts/2', '/customers', '/own/language']],
  ] as const) {
    const client = await aSignedClient(world, usernameOf(id))
    for (const path of paths)
      expect([id, path, JSON.stringify((await client.get(path)).body)]).toEqual([
        ...[id, path, expect.not.stringContaining('pays late')],
      ])
  }
})

test('a reseller has the records of its own customers, and learns of no other', async () => {
  const world = await aWorld(estates)
  const rick = await aSignedClient(world, 'rick')

  const added = await rick.send('POST', '/records/accounts', { username: 'chris', tariff_id: '3020' })
  const path = `/records/accounts/${added.body['id']}`
  expect(recordIn(await rick.get(path)).values).not.toHaveProperty('permissions')
  expect(await world.store.get(accountKey(Number(added.body['id'])))).toMatchObject({
    owner_id: 2,
    usertype: 'user',
  })
  expect((await rick.send('POST', '/records/tariffs', { name: 'Mine' })).status).toBe(200)
  expect((await rick.send('PUT', '/records/device-rules/6020', { add: '1' })).status).toBe(200)

  for (const values of [{ owner_id: '0' }, { usertype: 'admin' }, { permissions: 'x' }, { balance: '9' }])
    expect((await rick.send('PUT', path, values)).body).toMatchObject({
      error: { fields: [problem(Object.keys(values)[0] ?? '', 'There is no such field')] },
    })
  for (const [column, values] of [
    ['tariff_id', { tariff_id: '3000' }],
    ['username', { username: 'bob' }],
    ['username', { username: 'Bob' }],
    ['username', { username: '10' }],
  ] as const)
    expect(problemsIn(await rick.send('PUT', path, values))).toEqual([
      400,
      [
        problem(
          column,
          column === 'username' ? 'Username is taken already' : expect.stringContaining('no tariff'),
        ),
      ],
    ])
  for (const [kind, id] of [
    ...[['accounts', 10] as const, ['accounts', 2] as const, ['tariffs', 3010] as const],
    ...[['device-rules', 6010] as const, ['subscriptions', 7010] as const, ['providers', 1] as const],
  ])
    expect([kind, (await rick.send('PUT', `/records/${kind}/${id}`, { name: 'x' })).status]).toEqual([
      kind,
      kind === 'providers' ? 403 : 404,
    ])
  expect((await rick.send('POST', '/records/services', { name: 'x' })).status).toBe(403)
  const { body } = await rick.get('/records/tariffs')
  expect((body['records'] as Rows).map(({ id }) => id)).toEqual(['3020', '3041'])
})

test('a customer that moves to another owner meanwhile is not changed for the former one', async () => {
  const world = await aWorld(estates)
  const [admin, rick] = [await aSignedClient(world, 'admin'), await aSignedClient(world, 'rick')]
  let move = () => admin.send('PUT', '/records/accounts/20', { owner_id: '0' })
  const openStore: World['services']['openStore'] = (meter) => {
    const store = world.services.openStore(meter)
    const transact: typeof store.transact = async (changes) => {
      const moved = move()
      move = () => moved
      expect((await moved).status).toBe(200)
      await store.transact(changes)
    }
    return { ...store, transact }
  }
  const late = aConsoleClient({ services: { ...world.services, openStore } })
  late.cookie = rick.cookie

  expect((await late.send('PUT', '/records/accounts/20', { comment: 'mine' })).status).toBe(404)
  expect(await world.store.get(accountKey(20))).toMatchObject({ owner_id: 0 })
})

test('a reseller does not change a customer to whom the operator gave a permission', async () => {
  const world = await aWorld({ ...estates, users: estates.users?.map(withApiSettings) ?? [] })
  const [admin, reseller] = await Promise.all([aSignedClient(world, 'admin'), aSignedClient(world, 'rick')])
  const change = { password: 'A-lighthouse-7' }

  const refused = await reseller.send('PUT', '/records/accounts/20', change)
  expect(refused.status).toBe(403)
  expect(JSON.stringify(refused.body)).toContain('you may not change it')
  expect((await admin.send('PUT', '/records/accounts/20', change)).status).toBe(200)
})

const withApiSettings = <P extends Readonly<Record<string, string>>>(person: P) => ({
  ...person,
  ...(person['username'] === 'carol' && { permissions: 'api_settings' }),
})

test('a reseller has locations of its own with rules and devices, and none of others (wire.md 8.1)', async () => {
  const world = await aWorld(estates)
  const rick = await aSignedClient(world, 'rick')

  const { body } = await rick.send('POST', '/records/locations', { name: 'Office' })
  const location_id = String(body['id'])
  expect(await world.store.get(locationKey(Number(location_id)))).toMatchObject({ owner_id: 2 })
  const rule = { location_id, name: 'Zero', cut: '00', tariff_id: '3020', device_id: '1020' }
  const added = await rick.send('POST', '/records/location-rules', rule)
  expect((await rick.get('/records/location-rules', { of: location_id })).body['records']).toMatchObject([
    { id: added.body['id'], name: 'Zero' },
  ])
  expect((await rick.send('PUT', '/records/devices/1020', { location_id })).status).toBe(200)
  expect((await rick.send('DELETE', `/records/location-rules/${added.body['id']}`)).status).toBe(200)
  const { body: all } = await rick.get('/records/locations')
  expect((all['records'] as Rows).map(({ id }) => id)).toEqual(['2002', location_id])

  const before = await world.dump()
  const foreign = (column: string) => [400, [problem(column, expect.stringContaining('There is no'))]]
  for (const [column, id] of [
    ['location_id', 2000] as const,
    ['tariff_id', 3000] as const,
    ['device_id', 1010],
  ])
    expect(
      problemsIn(await rick.send('POST', '/records/location-rules', { ...rule, [String(column)]: `${id}` })),
    ).toEqual(foreign(String(column)))
  expect(problemsIn(await rick.send('PUT', '/records/devices/1020', { location_id: '2000' }))).toEqual(
    foreign('location_id'),
  )
  for (const path of ['locations/2000', 'locations/2003', `location-rules/${6000}`])
    for (const verb of ['PUT', 'DELETE'] as const)
      expect((await rick.send(verb, `/records/${path}`, { name: 'x' })).status).toBeGreaterThan(402)
  for (const column of ['lcr_id', 'did_id', 'location_group_id'])
    expect((await rick.send('POST', '/records/location-rules', { ...rule, [column]: '1' })).status).toBe(400)
  expect(await world.dump()).toEqual(before)
  expect(await damageIn(world)).toEqual([])
})

test('a page of 100 records costs at most 15 units', async () => {
  const world = await aWorld(estates)
  await world.given({
    tariffs: Array.from({ length: 120 }, (_, index) => ({
      id: `${100 + index}`,
      name: `T ${index}`,
      owner_id: '0',
    })),
    users: Array.from({ length: 120 }, (_, index) => ({
      ...{ id: `${100 + index}`, username: `u${index}`, usertype: 'user', owner_id: '0', tariff_id: '3010' },
      ...{ password_hash: '0'.repeat(40), first_name: 'Anna', last_name: 'Adams', address: 'Street 1, Town' },
    })),
  })
  const client = await aSignedClient(world, 'admin')
  for (const kind of ['tariffs', 'accounts']) {
    const first = await client.get(`/records/${kind}`)
    expect([kind, costOf(world).read_units <= 15]).toEqual([kind, true])
    const next = await client.get(`/records/${kind}`, { after: String(first.body['next']) })
    const found = [first, next].flatMap(({ body }) => body['records'] as Rows)
    expect([kind, found.length, next.body['next']]).toEqual([kind, kind === 'tariffs' ? 129 : 127, null])
  }
})

test('an id in the body that is another one than in the path is refused', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const change = (id: string) => client.send('PUT', '/records/accounts/10', { id, first_name: 'Ann' })

  expect(await change('11')).toMatchObject({ status: 422 })
  expect((await change('10')).status).toBe(200)
})

test("a reseller cannot take a carrier's address: calls that come from it would be told to its customer", async () => {
  const world = await aWorld(estates)
  const [admin, reseller] = await Promise.all([aSignedClient(world, 'admin'), aSignedClient(world, 'rick')])
  const carrier = { name: 'carrier', addresses: '192.0.2.50 2001:db8::50' }
  expect((await admin.send('POST', '/records/providers', carrier)).status).toBe(200)
  const trunk = (user_id: string, host: string) => ({
    user_id,
    name: `t-${host}`,
    host,
    authentication: 'ip',
  })

  for (const [host, says] of [
    ['192.0.2.50', '192.0.2.50'],
    ['::ffff:192.0.2.50', '192.0.2.50'],
    ['2001:0DB8::0:50', '2001:db8::50'],
  ] as const)
    expect(problemsIn(await reseller.send('POST', '/records/devices', trunk('20', host)))).toEqual([
      400,
      [problem('host', `The address ${says} is that of a provider`)],
    ])
  expect((await admin.send('POST', '/records/devices', trunk('10', '192.0.2.50'))).status).toBe(200)
})

test('a reseller cannot take the address of a trunk of another owner, and the operator may share it', async () => {
  const world = await aWorld(estates)
  const [admin, reseller] = await Promise.all([aSignedClient(world, 'admin'), aSignedClient(world, 'rick')])
  const trunk = (user_id: string, name: string, host = '198.51.100.7') => ({
    user_id,
    name,
    host,
    authentication: 'ip',
  })
  expect((await admin.send('POST', '/records/devices', trunk('10', 'hotel'))).status).toBe(200)

  const own = await reseller.send('POST', '/records/devices', trunk('20', 'mine', '198.51.100.8'))
  expect(own.status).toBe(200)
  const reason = 'The address 198.51.100.7 is that of a device of another owner'
  for (const [column, sent] of [
    ['host', trunk('20', 'thief')],
    ['ipaddr', { ...trunk('20', 'thief', 'dynamic'), ipaddr: '198.51.100.7' }],
    ['host', trunk('20', 'thief', '::ffff:198.51.100.7')],
  ] as const)
    expect(problemsIn(await reseller.send('POST', '/records/devices', sent))).toEqual([
      400,
      [problem(column, reason)],
    ])
  const change = { host: '198.51.100.7' }
  const path = `/records/devices/${own.body['id']}`
  expect(await reseller.send('PUT', path, change)).toMatchObject({ status: 400 })
  expect((await admin.send('PUT', path, change)).status).toBe(200)
  expect((await reseller.send('PUT', path, { comment: 'stays' })).status).toBe(200)
})
