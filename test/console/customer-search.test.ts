import { beforeAll, describe, expect, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { TABLE_FORMAT } from '#lib/table/table-format.ts'
import { aSignedClient, type ConsoleClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld, type World } from '#test/world.ts'

type Rows = Readonly<Record<string, unknown>>[]

type Row = Readonly<Record<string, string>>

const user = (id: number, more: Row = {}): Row => ({
  id: `${id}`,
  owner_id: '0',
  username: `account-${id}`,
  usertype: 'user',
  password_hash: '0'.repeat(40),
  ...more,
})

const PEOPLE = [
  user(5001, { username: 'x1', first_name: 'Anna Maria', last_name: 'Adams' }),
  user(5002, { username: 'x2', first_name: 'Émile', last_name: 'Straße', owner_id: '2' }),
  user(5003, { username: 'nw_bakery', first_name: 'ＡＣＭＥ', clientid: 'C-77/B' }),
  user(5004, { username: '+++', first_name: '---' }),
]

async function aWorldOf(users: readonly Row[], format: number): Promise<World> {
  const world = await aWorld(estates)
  await world.given({ users })
  await world.store.update(settingsKey, { set: { table_format: format } })
  return world
}

async function idsFound(client: ConsoleClient, values: Readonly<Record<string, string>>) {
  const ids: unknown[] = []
  const sizes: number[] = []
  for (let after: unknown; after !== null; ) {
    const { body, status } = await client.get('/customers', {
      ...values,
      ...(after !== undefined && { after: String(after) }),
    })
    expect(status).toBe(200)
    ids.push(...(body['customers'] as Rows).map(({ id }) => id))
    sizes.push((body['customers'] as Rows).length)
    after = body['next']
  }
  return { ids, sizes }
}

describe.each([1, TABLE_FORMAT])('in a table of format %i', (format) => {
  let admin: ConsoleClient
  beforeAll(async () => {
    admin = await aSignedClient(await aWorldOf(PEOPLE, format), 'admin')
  })

  test.each([
    ['anna', [5001]],
    ['MARIA ad', [5001]],
    ['adams anna', [5001]],
    ['adams bob', []],
    ['emile', [5002]],
    ['strasse', [5002]],
    ['Bakery', [5003]],
    ['acme', [5003]],
    ['c-77/b', [5003]],
    ['5003', [5003]],
    ['5004', [5004]],
    ['500', []],
    ['kery', []],
    ['+++', []],
    ['#', []],
    ['\u{10FFFF}', []],
    ['a'.repeat(3000), []],
  ])('customers are found by "%s"', async (search, ids) => {
    expect((await idsFound(admin, { search })).ids).toEqual(ids)
  })

  test('a reseller finds its own customers only', async () => {
    const world = await aWorldOf(PEOPLE, format)
    const rita = await aSignedClient(world, 'rita')
    const rick = await aSignedClient(world, 'rick')
    const found = await Promise.all([rita, rick].map((client) => idsFound(client, { search: 'x' })))

    expect(found.map(({ ids }) => ids)).toEqual([[], [5002]])
  })

  test('pages have no gap and no repetition, with a search and by name', async () => {
    const users = Array.from({ length: 70 }, (_, index) =>
      user(6000 + index, { username: `z${index}`, first_name: `Zoe ${index % 9}`, last_name: 'Zack' }),
    )
    const client = await aSignedClient(await aWorldOf(users, format), 'admin')

    const searched = await idsFound(client, { search: 'z' })
    const byName = await idsFound(client, { order: 'name' })

    expect(searched.sizes).toEqual([16, 16, 16, 16, 6])
    expect(new Set(searched.ids).size).toBe(70)
    expect(new Set(byName.ids).size).toBe(byName.ids.length)
    expect(byName.ids.filter((id) => Number(id) >= 6000).slice(0, 9)).toEqual(
      users.flatMap(({ id, first_name }) => (first_name === 'Zoe 0' ? Number(id) : [])).concat(6001),
    )
  })
})

test.each([
  [{ search: 'anna', after: 'bob#000000000000001' }],
  [{ search: 'anna', after: 'anna' }],
  [{ search: '#', after: '#000000000000001' }],
  [{ search: 'anna', after: `anna${'a'.repeat(2000)}#000000000000001` }],
  [{ order: 'name', after: '\u{10FFFF}#000000000000001' }],
])('a page of %j is refused', async (values) => {
  const client = await aSignedClient(await aWorld(estates), 'admin')

  expect(await client.get('/customers', values)).toMatchObject({ status: 422 })
})

test('a renamed account is found by its new name only', async () => {
  const world = await aWorldOf(PEOPLE, TABLE_FORMAT)
  await world.given({ users: [{ ...PEOPLE[0], first_name: 'Bella' }] })
  const client = await aSignedClient(world, 'admin')

  expect((await idsFound(client, { search: 'anna' })).ids).toEqual([])
  expect((await idsFound(client, { search: 'bella ad' })).ids).toEqual([5001])
})

test('a page costs the same with any number of customers, 15 units at most', async () => {
  const costs = async (count: number) => {
    const world = await aWorldOf(
      Array.from({ length: count }, (_, index) => user(10_000 + index)),
      TABLE_FORMAT,
    )
    const client = await aSignedClient(world, 'admin')
    const units = []
    for (const values of [
      { search: 'account' },
      { search: 'account-100' },
      { search: '0 account' },
      { search: '9999 account' },
      { search: '10001' },
      { search: 'nobody' },
      { search: 'nobody here' },
      { order: 'name' },
    ]) {
      await client.get('/customers', values)
      units.push(world.log.at(-1)?.['read_units'])
    }
    return units as number[]
  }

  const few = await costs(250)

  expect(await costs(400)).toEqual(few)
  expect(Math.max(...few)).toBeLessThanOrEqual(15)
})
