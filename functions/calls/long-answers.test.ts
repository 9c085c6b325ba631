import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { beforeAll, expect, test } from 'vitest'
import type { AnswerTransport } from '#lib/api/response.ts'
import type { Call } from '#lib/calls/call.ts'
import { storeCalls } from '#lib/calls/call-storage.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { callsListedIn, totalIn } from '#test/answers/printed.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { people } from '#test/examples/examples.ts'
import { newPlaces, newShards } from '#test/shards.ts'
import { aWorld, signedForm, type World } from '#test/world.ts'
import { method as quickstats } from './quickstats_get.ts'
import { method as userCalls } from './user_calls_get.ts'

const FEW = 1000
const MANY = 10_000

const START = Date.parse('2026-03-08T00:00:00Z') / 1000
const SECONDS = 3 * 86_400

const CUSTOMERS = [
  { user_id: 10, owner_id: 0, direct: true },
  { user_id: 2, owner_id: 0, direct: true },
  { user_id: 20, owner_id: 2, direct: false },
  { user_id: 30, owner_id: 3, direct: false },
  { user_id: 40, owner_id: 4, direct: false },
]

/** The calls are spread over three days, in random order, with many in one second. */
function callNumber(n: number): Call {
  const calldate = START + ((n * 7919) % (SECONDS / 20)) * 20
  return {
    ...(CUSTOMERS[n % CUSTOMERS.length] ?? CUSTOMERS[0]),
    uniqueid: `call-${(n * 104_729) % 1_000_003}`,
    calldate,
    day: new Date(calldate * 1000).toISOString().slice(0, 10),
    src: '37060012345',
    dst: '12025550199',
    disposition: n % 3 === 0 ? 'BUSY' : 'ANSWERED',
    duration: 70,
    billsec: 61,
    hangupcause: n % 3 === 0 ? 17 : 16,
    device_id: 100,
    provider_id: 7,
    user_rate: '0.0987',
    user_price: '0.100345',
    provider_rate: '0.05',
    provider_price: '0.050833',
    reseller_price: '0.070123',
    digest: String(n),
    version: 1,
  } as Call
}

const everyCall = Array.from({ length: MANY }, (_, n) => callNumber(n))

const idsOf = (calls: readonly Call[]): string[] =>
  [...calls]
    .sort((one, other) => one.calldate - other.calldate || (one.uniqueid < other.uniqueid ? -1 : 1))
    .map(({ uniqueid }) => uniqueid)

const store = async (world: World, calls: readonly Call[]): Promise<void> => {
  for (let from = 0; from < calls.length; from += 1000) {
    const changes = calls.slice(from, from + 1000).map((after) => ({ before: undefined, after }))
    expect(
      await storeCalls(
        { store: world.store, settings: { ...readSettings({}), ...newPlaces, shards: newShards } },
        changes,
      ),
    ).toEqual([])
  }
}

let world: World
let unitsOfFew: unknown

beforeAll(async () => {
  world = await aWorld()
  await world.given({ users: people })
  await store(world, everyCall.slice(0, FEW))
  await world.call(quickstats, 'admin')
  unitsOfFew = world.log[0]
  await store(world, everyCall.slice(FEW))
})

test('quickstats_get costs the same at 1,000 and at 10,000 calls: two round trips', async () => {
  world.log.length = 0

  const answer = await world.call(quickstats, 'admin')

  expect(answer).toContain(`<this_month><calls>${MANY - Math.ceil(MANY / 3)}</calls>`)
  expect(world.log).toEqual([unitsOfFew])
  expect(unitsOfFew).toMatchObject({ round_trips: 2 })
})

interface Asked {
  readonly caller?: string
  readonly params?: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  readonly transport?: AnswerTransport
}

const STREAMED: AnswerTransport = { streams: true, maxBytes: 2e8 }

function ask<T>(
  { caller = 'admin', params = {}, headers = {}, transport = STREAMED }: Asked,
  read: (answer: Readable) => Promise<T>,
): Promise<T> {
  const body = signedForm(userCalls, { u: caller, period_start: 0, ...params })
  return streamed(userCalls, { ...world.services, transport }, [anEvent({ body, headers }), aContext()], read)
}

const answerTo = (asked: Asked): Promise<Buffer> => ask(asked, buffer)

test.each<[string, Asked, (call: Call) => boolean]>([
  ['everyone', {}, () => true],
  ["a reseller's", { caller: 'rick' }, ({ user_id }) => [2, 20].includes(user_id)],
  ["a customer's", { params: { s_user: 40 } }, ({ user_id }) => user_id === 40],
  ['filtered', { params: { s_call_type: 'answered' } }, ({ hangupcause }) => hangupcause === 16],
  [
    'of a part of a day',
    { params: { period_start: START + 12_345, period_end: START + 200_000 } },
    ({ calldate }) => calldate >= START + 12_345 && calldate <= START + 200_000,
  ],
])('a long answer, %s, is complete, in order and well-formed', async (_case, asked, isWanted) => {
  const document = (await answerTo(asked)).toString()

  const expected = idsOf(everyCall.filter(isWanted))
  new SaxesParser().write(document).close()
  expect(totalIn(document)).toBe(expected.length)
  expect(callsListedIn(document)).toEqual(expected)
})

test('a long answer is compressed if the client accepts gzip', async () => {
  const bytes = await answerTo({ headers: { 'accept-encoding': 'gzip' } })

  expect(callsListedIn(gunzipSync(bytes).toString())).toEqual(idsOf(everyCall))
})

test.each([
  ['whole', {}, {}],
  ['compressed', {}, { 'accept-encoding': 'gzip' }],
  ['filtered', { s_call_type: 'answered' }, { 'accept-encoding': 'gzip' }],
])('a reader that leaves ends a long answer with one line of the log: %s', async (_case, params, headers) => {
  world.log.length = 0
  const leave = async (answer: Readable) => {
    await once(answer, 'readable')
    answer.destroy()
  }

  const left = [1, 2, 3].map(() => ask({ params, headers }, leave))

  await Promise.all(left.map((one) => expect(one).rejects.toThrow('Premature close')))
  await expect.poll(() => world.log.map(({ outcome }) => outcome)).toEqual(Array(3).fill('broken off'))
})

test.each([
  ['counted beforehand', {}],
  ['filtered', { s_call_type: 'answered' }],
])(
  'an answer that the transport cannot carry is refused before the first byte: %s',
  async (_case, params) => {
    const document = await answerTo({ params, transport: { streams: true, maxBytes: 1_000_000 } })

    expect(document.toString()).toContain(
      '<page><error>The answer is too large: ask for less, or accept gzip</error></page>',
    )
  },
)
