import { expect, test } from 'vitest'
import { findDevice } from '#lib/devices/device-stored.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { exampleLocationRules } from '#test/examples/examples.ts'
import { aRoutingWorld } from '#test/examples/routing.ts'

const RULE = { id: '500', location_id: '1', name: 'Rule', cut: '0' }

test('the same rules again change nothing and cost no writes', async () => {
  const world = await aRoutingWorld()
  const [before, spent] = [await world.dump(), world.meter.spent.write]

  await world.given({ location_rules: exampleLocationRules })

  expect(await world.dump()).toEqual(before)
  expect(world.meter.spent.write).toBe(spent)
})

test('a changed row moves the rule with its pointers and counters', async () => {
  const world = await aRoutingWorld()
  const before = (await world.dump()) as { PK: string; SK: string }[]
  const moved = { ...exampleLocationRules[0], location_id: '3', cut: '8', device_id: '200' } as Record<
    string,
    string
  >

  await world.given({ location_rules: [moved] })

  const names = ((await world.dump()) as { PK: string; SK: string }[]).map(({ PK, SK }) => `${PK} ${SK}`)
  const namesBefore = before.map(({ PK, SK }) => `${PK} ${SK}`)
  expect(namesBefore.filter((name) => !names.includes(name))).toEqual([
    'DEVICE#100 LOCRULE#000000000000100',
    'LOCATION#1 LENGTHS#dst|0|370',
    'LOCATION#1 RULE#000000000000100',
  ])
  expect(names.filter((name) => !namesBefore.includes(name))).toEqual([
    'DEVICE#200 LOCRULE#000000000000100',
    'LOCATION#3 LENGTHS#dst|8|370',
    'LOCATION#3 RULE#000000000000100',
  ])
  expect(await findDevice(world.store, 100)).toMatchObject({ location_rule_count: 0 })
  expect(await findDevice(world.store, 200)).toMatchObject({ location_rule_count: 1 })
})

test('a row that is changed and changed back leaves the same table', async () => {
  const world = await aRoutingWorld()
  const withoutVersions = (items: unknown[]) =>
    (items as { version?: number }[]).map(({ version: _, ...item }) => item)
  const before = withoutVersions(await world.dump())

  const moved = { ...exampleLocationRules[0], location_id: '3', device_id: '200' } as Record<string, string>
  await world.given({ location_rules: [moved] })
  await world.given({ location_rules: exampleLocationRules.slice(0, 1) })

  expect(withoutVersions(await world.dump())).toEqual(before)
})

test('equal rules are accepted, because copies are equal', async () => {
  const world = await aRoutingWorld()

  await world.given({ location_rules: [RULE, { ...RULE, id: '501' }] })

  expect(await world.dump()).toContainEqual(
    expect.objectContaining({ lengths: new Array(99).fill(2).join(',') }),
  )
})

test('rules may refer to other rows of the dataset', async () => {
  const world = await aRoutingWorld()

  await world.given({
    lcrs: [{ id: '70', name: 'New', owner_id: '2' }],
    location_groups: [{ id: '71', name: 'New', owner_id: '2' }],
    locations: [{ id: '72', name: 'New', owner_id: '2' }],
    dids: [{ id: '73', did: '1', owner_id: '2' }],
    tariffs: [{ id: '74', name: 'New', owner_id: '2' }],
    location_rules: [
      { ...RULE, location_id: '72', lcr_id: '70', tariff_id: '74', did_id: '73', location_group_id: '71' },
    ],
  })

  expect(await world.dump()).toContainEqual(
    expect.objectContaining({
      PK: 'LOCATION#72',
      name: 'Rule',
      lcr_id: 70,
      tariff_id: 74,
      did_id: 73,
      location_group_id: 71,
    }),
  )
})

test.each([
  [{ name: ' ' }, 'name must not be blank'],
  [{ cut: '' }, 'cut, add, src_cut, src_add and every target are blank'],
  [{ cut: '+' }, 'cut takes: digits, # and *'],
  [{ minlen: '0' }, 'minlen and maxlen are not a range from 1 to 100'],
  [{ maxlen: '101' }, 'minlen and maxlen are not a range from 1 to 100'],
  [{ src_minlen: '5', src_maxlen: '4' }, 'src_minlen and src_maxlen are not a range from 1 to 100'],
  [{ lr_type: 'both' }, 'lr_type takes: src, dst, combined'],
  [{ location_id: '99' }, 'location_id: there is no location 99'],
  [{ lcr_id: '99' }, 'lcr_id: there is no LCR 99'],
  [{ tariff_id: '99' }, 'tariff_id: there is no tariff 99'],
  [{ did_id: '99' }, 'did_id: there is no DID 99'],
  [{ device_id: '99' }, 'device_id: there is no device 99'],
  [{ location_group_id: '99' }, 'location_group_id: there is no location group 99'],
])('a rule is refused: %j', async (cells, reason) => {
  const world = await aRoutingWorld()

  const rows = [{ ...RULE, ...cells }]
  await expect(
    importRows({ store: world.store, clock: () => world.now }, { location_rules: rows }),
  ).rejects.toThrow(`location_rules, row 1: ${reason}`)
})

test.each(['lcrs', 'location_groups', 'locations'] as const)(
  'the owner of %s must be an account that can own them',
  async (file) => {
    const world = await aRoutingWorld()
    const owned = (owner_id: string) => world.given({ [file]: [{ id: '80', name: 'n', owner_id }] })

    await expect(owned('99')).rejects.toThrow('owner_id: there is no account 99')
    await expect(owned('10')).rejects.toThrow('owner_id: account 10 is not an admin, reseller or partner')
  },
)

test('a new owner may use a location at once', async () => {
  const world = await aRoutingWorld()

  await world.given({ locations: [{ id: '2', name: 'Given away', owner_id: '3' }] })

  expect(await world.dump()).toContainEqual(expect.objectContaining({ PK: 'LOCATION#2', owner_id: 3 }))
})
