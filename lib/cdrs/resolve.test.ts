import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { sendDocuments } from '#test/mediation/csv-switch.ts'
import { openVersion } from '#test/mediation/versions.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import type { PartyHints } from './formats/cdr.ts'
import { openMediation } from './mediation.ts'
import { resolveAccounts, resolveRows } from './resolve.ts'

const byAddress = (id: string, user_id: string, address: object) => ({
  id,
  user_id,
  name: `trunk-${id}`,
  device_type: 'SIP',
  authentication: 'ip',
  ...address,
})

const operator = {
  users: people.map((person) => ({ ...person, tariff_id: '1' })),
  tariffs: ['1', '2'].map((id) => ({ id, name: `Tariff ${id}`, owner_id: '0' })),
  rates: [
    rate({ prefix: '1', tariff_rate: '0.06' }),
    rate({ prefix: '37', tariff_rate: '0.06' }),
    rate({ tariff_id: '2', prefix: '1', tariff_rate: '0.02' }),
  ],
  devices: [
    byAddress('1', '10', { host: '198.51.100.1' }),
    byAddress('2', '10', { ipaddr: '198.51.100.2' }),
    byAddress('3', '10', { ipaddr: '198.51.100.2', host: '198.51.100.2' }),
    byAddress('4', '20', { ipaddr: '2001:0DB8:0::4' }),
    byAddress('5', '10', { ipaddr: '198.51.100.5' }),
    byAddress('6', '20', { ipaddr: '198.51.100.5' }),
    { ...byAddress('7', '10', { ipaddr: '198.51.100.7' }), authentication: 'password' },
    byAddress('8', '20', { ipaddr: '203.0.113.0/24', host: 'gw.bob.example' }),
    byAddress('9', '10', { ipaddr: '203.0.113.9' }),
    byAddress('10', '11', { ipaddr: '2001:db8:10::/48' }),
  ],
  dids: [
    { id: '1', did: '+370 5 200 0001', owner_id: '0', user_id: '11' },
    { id: '2', did: '37052000002', owner_id: '2', device_id: '4' },
    { id: '3', did: '37052000003', owner_id: '2' },
  ],
  providers: [
    {
      id: '1',
      name: 'Potomac',
      tariff_id: '2',
      names: 'gw1 gw2',
      addresses: '::ffff:192.0.2.1 [2001:DB8:0::1]',
    },
    { id: '2', name: 'Thames Wholesale', addresses: 'gw.thames.example', channels: 'DAHDI/i1 sofia/thames/' },
    { id: '4', name: 'Severn', addresses: 'GW.severn.example.' },
    { id: '3', name: 'Telco', channels: 'DAHDI' },
  ],
}

const cdrRow = (said: object) => {
  const cells = {
    uniqueid: '7',
    start: '2026-03-10 09:00:00',
    dst: '12025550171',
    billsec: 60,
    duration: 60,
    disposition: 'ANSWERED',
    ...said,
  }
  return `${Object.keys(cells).join(',')}\n${Object.values(cells).join(',')}\n`
}

async function mediated(world: World, said: object) {
  const document = { format: 'csv', source: 'gw', zone: 'UTC', text: cdrRow(said) } as const
  await sendDocuments(world, [document])
  const [call] = await listCallsWithId(world.store, '7')
  return call
}

test.each<[object, [user?: number | undefined, device?: number | undefined]]>([
  [{ ip: '198.51.100.1' }, [10, 1]],
  [{ ip: '198.51.100.2' }, [10, undefined]],
  [{ ip: '::ffff:198.51.100.1' }, [10, 1]],
  [{ ip: '[2001:db8::4]' }, [20, 4]],
  [{ ip: '2001:0db8:0:0:0:0:0:4' }, [20, 4]],
  [{ ip: '2001:0DB8:0::4' }, [20, 4]],
  [{ ip: '198.51.100.5' }, []],
  [{ ip: '198.51.100.7' }, []],
  [{ ip: '203.0.113.9' }, [10, 9]],
  [{ ip: '203.0.113.8' }, []],
  [{ ip: '203.0.113.0/24' }, []],
  [{ ip: 'gw.bob.example' }, []],
  [{ ip: '2001:db8:10::1' }, []],
  [{ dst: '37052000001' }, [11, undefined]],
  [{ dst: '0037052000001' }, [11, undefined]],
  [{ did: '37052000002' }, [20, undefined]],
  [{ dst: '37052000003' }, []],
  [{ ip: '198.51.100.1', dst: '37052000001' }, [11, undefined]],
  [{ ip: '198.51.100.1', account_code: 'ben' }, [11, undefined]],
])('%j names the customer and the device by address or by DID', async (said, [user, device]) => {
  const world = await aWorld(operator)
  const call = await mediated(world, said)

  expect([call?.user_id, call?.device_id]).toEqual([user, device])
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual(call ? [] : ['unknown_account'])
})

const TOO_LONG = 'x'.repeat(151)

test.each<[object, [user?: number, device?: number | undefined]]>([
  [{ account_code: 'bob', device: 'trunk-4', sip_user: 'trunk-5' }, [10, 5]],
  [{ account_code: 'bob', device: 'trunk-4' }, [10, undefined]],
  [{ account_code: 'bob', device: TOO_LONG, sip_user: TOO_LONG }, [10, undefined]],
  [{ account_code: TOO_LONG, device: 'trunk-5' }, [10, 5]],
  [{ account_code: '1e1' }, []],
  [{ account_code: '010' }, []],
  [{ account_code: '10' }, [10, undefined]],
  [{ account_code: '4444' }, []],
])('%j: the customer and a device of the same customer', async (said, [user, device]) => {
  const world = await aWorld(operator)
  const call = await mediated(world, said)

  expect([call?.user_id, call?.device_id]).toEqual([user, device])
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual(call ? [] : ['unknown_account'])
})

const party = (said: Partial<PartyHints>): PartyHints => ({
  accountCode: '',
  device: '',
  sipUser: '',
  did: '',
  ip: '',
  ...said,
})

/** The keys, and the ranges of keys, that account resolution reads for calls. */
async function lookedUp(world: World, parties: readonly Partial<PartyHints>[]): Promise<string[]> {
  const keys: string[] = []
  const mediation = await openMediation(world.store, world.now)
  const store: Store = {
    ...world.store,
    getMany: (asked, ...rest) => {
      keys.push(...asked.map(({ PK }) => PK))
      return world.store.getMany(asked, ...rest)
    },
    list: (query) => {
      keys.push(query.partition)
      return world.store.list(query)
    },
  }
  await resolveAccounts({ ...mediation, store }, parties.map(party))
  return keys
}

test('a shared name is looked up once, and never for a call that an earlier hint has decided', async () => {
  const world = await aWorld(operator)
  const alone = await lookedUp(world, [{ device: 'trunk-5' }])
  expect(alone).toEqual(['DIALLED#Ttrunk-5', 'DEVICE#5'])
  expect(await lookedUp(world, [{ accountCode: 'bob' }])).toEqual(['CALLER#bob'])

  expect(await lookedUp(world, [{ device: 'trunk-5' }, { device: 'trunk-5' }])).toEqual(alone)
  const decided = { device: 'trunk-5', did: '37052000001', ip: '198.51.100.1' }
  expect(await lookedUp(world, [decided])).toEqual(alone)
  expect(await lookedUp(world, [{ ip: 'gw.example' }])).toEqual([])
  expect(await lookedUp(world, [{ ip: '2001:db8::4' }])).toEqual(['DEVICEIP#2001:db8::4'])
})

test('the setting Call_Owner_Order may put the address before the DID, and omit either', async () => {
  const world = await aWorld(operator)
  const both = { ip: '198.51.100.1', dst: '37052000001' }
  await world.set({ Call_Owner_Order: 'account_code' })
  expect(await mediated(world, both)).toBeUndefined()

  await world.set({ Call_Owner_Order: 'ip,did' })
  const otherDevice = { ...both, device: 'trunk-5' }
  expect(await mediated(world, otherDevice)).toMatchObject({ user_id: 10, device_id: 1 })
})

test.each<[object, number | undefined, object]>([
  [{ provider: 'POTOMAC' }, 1, { provider_rate: '0.02', provider_price: '0.02' }],
  [{ provider: 'gw2' }, 1, {}],
  [{ provider: ' GW2 ' }, 1, {}],
  [{ provider: TOO_LONG, provider_ip: TOO_LONG, provider_channel: `${TOO_LONG}/1` }, undefined, {}],
  [{ provider: 'thames wholesale' }, 2, {}],
  [{ provider_ip: '[2001:db8::1]' }, 1, {}],
  [{ provider_ip: '2001:0db8:0:0:0:0:0:1' }, 1, {}],
  [{ provider_ip: 'GW.thames.example' }, 2, {}],
  [{ provider_ip: 'gw.thames.example.' }, 2, {}],
  [{ provider_ip: 'gw.severn.example' }, 4, {}],
  [{ provider_ip: 'gw.severn.example.' }, 4, {}],
  [{ provider_channel: 'DAHDI/i1/12025550171-4' }, 2, {}],
  [{ provider_channel: 'DAHDI/i2/12025550171-4' }, 3, {}],
  [{ provider_channel: 'sofia/thames/1202' }, 2, {}],
  [{ ip: '192.0.2.1' }, 1, { provider_price: '0', user_price: '0.06' }],
  [{ ip: '::ffff:192.0.2.1' }, 1, { provider_price: '0' }],
  [{ ip: '192.0.2.1', provider: 'Telco' }, 3, {}],
  [{ provider: 'nobody', provider_ip: '192.0.2.99', provider_channel: 'DAHDI' }, undefined, {}],
])('%j: its provider is %j', async (said, provider_id, prices) => {
  const call = await mediated(await aWorld(operator), { account_code: 'bob', ...said })

  expect(call).toMatchObject({ user_id: 10, ...prices })
  expect(call?.provider_id).toBe(provider_id)
  if (provider_id === undefined) expect(call?.provider_price).toBeUndefined()
})

test.each([
  ['names no carrier', {}, '0'],
  ['names the carrier that brought it', { ip: '192.0.2.1' }, '0'],
  ['names the carrier that it was forwarded to', { provider: 'Potomac' }, '0.06'],
])(
  'a call to a DID is incoming if its CDR %s, unless incoming calls are rated',
  async (_how, said, price) => {
    const world = await aWorld(operator)
    const toDid = { dst: '37052000001', ...said }
    expect(await mediated(world, toDid)).toMatchObject({ user_id: 11, user_price: price })

    const rating = await aWorld(operator)
    await rating.set({ Rate_Incoming_Calls: '1' })
    expect(await mediated(rating, toDid)).toMatchObject({ user_id: 11, user_price: '0.06' })
  },
)

test.each([
  [{}, 'it names no account and no device'],
  [{ account_code: 'zed' }, 'no account or device is "zed"'],
  [
    { account_code: 'zed', device: '9999', sip_user: '9999', ip: '198.51.100.99' },
    'no account or device is "zed" or "9999" or "198.51.100.99"',
  ],
])('%j: the reason of suspense names what was looked for', async (said, detail) => {
  const world = await aWorld(operator)

  expect(await mediated(world, said)).toBeUndefined()
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_account', detail }])
})

test('pointers to providers, DIDs and devices stay sound when these change', async () => {
  const world = await aWorld(operator)
  expect(await damageIn(world)).toEqual([])
  await world.given({
    devices: [byAddress('1', '20', { host: '198.51.100.11' })],
    dids: [{ id: '1', did: '37052000009', owner_id: '0', user_id: '11' }],
    providers: [{ id: '1', name: 'Potomac', names: 'gw1', addresses: '192.0.2.77' }],
  })
  await world.given({ providers: [{ id: '3', name: 'Telco', names: 'gw2', addresses: '192.0.2.1' }] })

  expect(await damageIn(world)).toEqual([])
  expect(await mediated(world, { ip: '198.51.100.1' })).toBeUndefined()
  expect(await mediated(world, { ip: '198.51.100.11', provider: 'gw2' })).toMatchObject({
    user_id: 20,
    device_id: 1,
    provider_id: 3,
  })
})

test('a call to a DID is free, but not one that it forwards, even over an unknown carrier', async () => {
  const world = await aWorld(operator)
  const mediation = await openMediation(world.store, world.now)
  const resolvedBy = async (said: Partial<PartyHints>) => {
    const [version] = await resolveRows(mediation, [openVersion({ party: party(said) })])
    return version?.resolved
  }

  expect(await resolvedBy({ did: '37052000001' })).toMatchObject({ user_id: 11, incoming: true })
  expect(await resolvedBy({ reached: '37052000001' })).toMatchObject({ user_id: 11, incoming: false })
  expect(await resolvedBy({ reached: 'trunk-4', accountCode: 'bob' })).toMatchObject({
    user_id: 20,
    device_id: 4,
  })
})

test.each([
  [{ accountCode: 'bob' }, 1],
  [{ accountCode: '10' }, 2],
  [{ accountCode: 'nobody' }, 2],
  [{ device: 'trunk-1' }, 2],
  [{ ip: '198.51.100.1' }, 1],
  [{ accountCode: 'bob', device: 'trunk-1', ip: '198.51.100.1' }, 3],
] as const)('the customer of %j is found with %i read units', async (hints, units) => {
  const world = await aWorld(operator)
  const mediation = await openMediation(world.store, world.now)
  const before = world.meter.spent.read

  await resolveRows(mediation, [openVersion({ party: party(hints) })])
  expect(world.meter.spent.read - before).toBe(units)
})
