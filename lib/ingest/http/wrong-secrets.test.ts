import { expect, test } from 'vitest'
import { aFailingClient } from '#test/faults/faulty-endpoint.ts'
import { aWorldWithIntake, basic, post } from '#test/mediation/intake.ts'
import { type World, withClient } from '#test/world.ts'

const HERE = '192.0.2.1'
const ELSEWHERE = '192.0.2.2'

const statusFor = async (world: World, authorization: string, address = HERE): Promise<number> =>
  (await post(world, 'csv', { body: '', headers: { authorization }, address })).statusCode

const wrong = (world: World, name: string, address = HERE): Promise<number> =>
  statusFor(world, basic(name, 'wrong'), address)

/** Requests that are sent at the same time. */
const atOnce = (count: number, send: (place: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

const countOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length

async function countersIn(world: World) {
  return (await world.dump()).filter(({ PK }) => String(PK).startsWith('INTAKEFAIL#'))
}

const inTheNextMinute = (world: World) => {
  world.now = new Date(world.now.getTime() + 60_000)
}

test.each([
  ['of a switch', 'fs1'],
  ['of nobody', 'nobody'],
  ['of nothing', ''],
])('of 100 wrong secrets sent at once for a name %s, ten get 401', async (_case, name) => {
  const { world } = await aWorldWithIntake()

  const statuses = await atOnce(100, () => wrong(world, name))

  expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([10, 90])
})

test('of 200 unknown names from one address 100 get 401, and all of them write one item', async () => {
  const { world } = await aWorldWithIntake()

  const statuses = await atOnce(200, (place) => wrong(world, `name ${place}`))

  expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([100, 100])
  expect(await countersIn(world)).toEqual([expect.objectContaining({ failures: 100 })])
})

test('names beyond their own limit do not count for the address', async () => {
  const { world } = await aWorldWithIntake()
  await atOnce(100, () => wrong(world, 'fs1'))

  const statuses = await atOnce(100, (place) => wrong(world, `name ${place}`))

  expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([90, 10])
})

test("a wrong secret costs one read and one write unit, even an address's hundredth name", async () => {
  const { world } = await aWorldWithIntake()
  const address = '2001:0db8:ffff:ffff:ffff:ffff:ffff:ffff'

  for (let index = 0; index < 99; index += 1) await wrong(world, `name ${index}`, address)
  await wrong(world, 'fs1', address)

  expect(world.log.slice(-100)).toEqual(
    Array(100).fill(expect.objectContaining({ outcome: 'unauthorized', read_units: 1, write_units: 1 })),
  )
  const [counter] = await countersIn(world)
  expect(Buffer.byteLength(JSON.stringify(counter))).toBeLessThan(2048)
  expect(Object.keys(counter ?? {})).toHaveLength(2 + 2 + 100)
})

test('an unknown name has the same answer, cost and log as a wrong secret', async () => {
  const { world } = await aWorldWithIntake()
  const answer = (name: string) =>
    post(world, 'csv', { body: '', headers: { authorization: basic(name, 'wrong') } })

  const answers = [await answer('fs1'), await answer('nobody')]

  expect(answers[1]).toEqual(answers[0])
  const [known, unknown] = world.log.slice(-2)
  expect(known).toMatchObject({ outcome: 'unauthorized', read_units: 1, write_units: 1 })
  expect(unknown).toEqual(known)
})

test('beyond the limit the answer has Retry-After, and nothing more is written', async () => {
  const { world } = await aWorldWithIntake()
  await atOnce(10, () => wrong(world, 'fs1'))
  const before = await world.dump()

  const { statusCode, headers } = await post(world, 'csv', {
    body: '',
    headers: { authorization: basic('fs1', 'wrong') },
  })

  expect([statusCode, headers?.['Retry-After']]).toEqual([429, '60'])
  expect(await world.dump()).toEqual(before)
})

test('a right secret is admitted in a flood of its name and address, with one read, no write', async () => {
  const { world, authorization } = await aWorldWithIntake()

  const flood = [
    atOnce(100, () => wrong(world, 'fs1')),
    atOnce(100, (place) => wrong(world, `name ${place}`)),
  ]
  const during = await atOnce(10, () => statusFor(world, authorization))
  await Promise.all(flood)
  const after = await statusFor(world, authorization)

  expect([...during, after]).toEqual(Array(11).fill(200))
  expect(world.log.filter(({ outcome }) => outcome === 'taken')).toEqual(
    Array(11).fill(expect.objectContaining({ read_units: 1, write_units: 0 })),
  )
})

test('addresses do not count for each other', async () => {
  const { world } = await aWorldWithIntake()
  await atOnce(100, (place) => wrong(world, `name ${place % 10}`))

  expect([await wrong(world, 'name 0'), await wrong(world, 'another')]).toEqual([429, 429])
  expect([await wrong(world, 'name 0', ELSEWHERE), await wrong(world, 'another', ELSEWHERE)]).toEqual([
    401, 401,
  ])
})

test('both limits end with the minute, and the counters expire', async () => {
  const { world } = await aWorldWithIntake()
  await atOnce(100, (place) => wrong(world, `name ${place % 10}`))
  expect([await wrong(world, 'name 0'), await wrong(world, 'another')]).toEqual([429, 429])

  inTheNextMinute(world)

  expect([await wrong(world, 'name 0'), await wrong(world, 'another')]).toEqual([401, 401])
  for (const { SK, expires_at } of await countersIn(world)) {
    expect(expires_at).toBe((Number(SK) + 2) * 60)
  }
})

test.each([
  ['no credentials', {}],
  ['another scheme', { authorization: 'Bearer x' }],
  ['no colon', { authorization: `Basic ${btoa('fs1')}` }],
])('%s: 401 each time, without a request to the table', async (_case, headers) => {
  const { world } = await aWorldWithIntake()

  const answers = await Promise.all(
    Array.from({ length: 120 }, () => post(world, 'csv', { body: '', headers })),
  )

  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]))
  expect(world.log).toEqual(
    Array(120).fill(expect.objectContaining({ outcome: 'unauthorized', read_units: 0, write_units: 0 })),
  )
})

/** The first request to the table reads the intake, the second one counts. */
test.each([
  ['dropped before it arrived', 0],
  ['answer lost', 1],
] as const)('a count that fails is 503 and at most one place less: %s', async (fault, counted) => {
  const { world } = await aWorldWithIntake()
  const client = await aFailingClient([undefined, fault])

  const first = await wrong(withClient(world, client), 'fs1')
  const then = await atOnce(20, () => wrong(world, 'fs1'))

  expect([first, countOf(then, 401)]).toEqual([503, 10 - counted])
})
