import { createGunzip } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import type { AnswerTransport } from '#lib/api/response.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { findTariff, ratesOf } from '#lib/rates/tariff.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Meter } from '#lib/table/requests/meter.ts'
import { streamed } from '#test/answers/streamed.ts'
import { rowsOfPages } from '#test/dump.ts'
import { aContext, anEvent } from '#test/event.ts'
import { people } from '#test/examples/examples.ts'
import { generatedRates, generatedSource } from '#test/examples/generated-rates.ts'
import { destinations, withTariff } from '#test/examples/tariffs.ts'
import { aWorld, signedForm, type World } from '#test/world.ts'
import { method as rateGet } from './rate_get.ts'
import { rateRows, method as tariffRatesGet } from './tariff_rates_get.ts'

const [SMALL, LARGE, MIDDLE] = [
  { tariff: 1, rates: 1000, user: 'bob' },
  { tariff: 2, rates: 500_000, user: 'carol' },
  { tariff: 3, rates: 50_000, user: 'dave' },
]

let world: World
let writeUnits = 0

const importRates = async ({ tariff, rates }: typeof SMALL) => {
  const file = { file: 'rates', source: generatedSource(tariff, rates) } as const
  const [report] = await importDataset({ store: world.store, clock: () => world.now }, 'large', [file])
  expect(report).toMatchObject({
    written: rates,
    remarks: [expect.stringContaining(`${rates} rates added, 0 removed`)],
  })
}

beforeAll(async () => {
  world = await aWorld()
  await world.set({ Devices_Check_Rate: '1' })
  await world.given({
    users: withTariff(people, { bob: '1', alice: '2', carol: '2', dave: '3' }),
    tariffs: [SMALL, LARGE, MIDDLE].map(({ tariff }) => ({
      id: String(tariff),
      name: `Tariff ${tariff}`,
      currency: 'USD',
      owner_id: '0',
    })),
    destinations,
  })
  await importRates(SMALL)
  await importRates(MIDDLE)
  const before = world.meter.spent.write
  await importRates(LARGE)
  writeUnits = world.meter.spent.write - before
})

test('500,000 rates cost at most 10,000 units to write', () => {
  expect(writeUnits).toBeLessThanOrEqual(10_000)
})

test('500,000 rates cost at most 1,000 units to read, and all of them are in order', async () => {
  const tariff = await findTariff(world.store, LARGE.tariff)
  const before = world.meter.spent.read
  const lines = await rowsOfPages(pagesOf(world.store, ratesOf(LARGE.tariff), tariff?.active))

  expect(world.meter.spent.read - before).toBeLessThanOrEqual(1000)
  const expected = [...generatedRates(LARGE.tariff, LARGE.rates)]
    .map(({ prefix = '', tariff_rate = '' }) => `${prefix} ${Number(tariff_rate)}`)
    .sort()
  const cellsOf = (line: string): string => {
    const cells = line.split('\t')
    return `${cells[0]} ${Number(cells[5])}`
  }
  expect(lines.map(cellsOf).sort()).toEqual(expected)
  expect(lines.toSorted()).toEqual(lines)
})

test.each([SMALL, LARGE])('the rate of a number costs no more in a tariff of $rates rates', async (size) => {
  world.log.length = 0
  const found = [...generatedRates(size.tariff, 300)]
  for (const { prefix = '', tariff_rate, destination } of found) {
    const number = `${prefix}#`
    const rate = String(Number(tariff_rate))
    const answer = await world.call(rateGet, size.user, { prefix: number })
    expect(answer).toContain(
      `<rate>${rate.includes('.') ? rate : `${rate}.0`}#${destination}#${prefix}</rate>`,
    )
  }
  const logged = world.log.map(({ round_trips, read_units }) => ({ round_trips, read_units }))

  expect(Math.max(...logged.map(({ round_trips }) => Number(round_trips)))).toBe(3)
  expect(Math.max(...logged.map(({ read_units }) => Number(read_units)))).toBeLessThanOrEqual(5)
})

test.each([
  [SMALL, 'bob'],
  [LARGE, 'alice'],
])(
  'by admin, with the account named: $rates rates, six units, eight where there is no rate',
  async (size, username) => {
    world.log.length = 0
    const [known] = [...generatedRates(size.tariff, 1)]

    expect(await world.call(rateGet, 'admin', { username, prefix: known?.['prefix'] ?? '' })).toContain(
      '<rate>',
    )
    expect(await world.call(rateGet, 'admin', { username, prefix: '9' })).toContain('Prefix_not_found')
    expect(await world.call(rateGet, 'admin', { username, prefix: '0' })).toContain('Prefix_not_found')

    const [found, missing, beforeAllPages] = world.log
    expect(found).toMatchObject({ round_trips: 3 })
    expect(found?.['read_units']).toBeLessThanOrEqual(6)
    // The header of the directory comes with the page of the tariff.
    expect(missing).toMatchObject({ round_trips: 4 })
    expect(missing?.['read_units']).toBeLessThanOrEqual(8)
    expect(beforeAllPages?.['read_units']).toBeLessThanOrEqual(8)
  },
)

const STREAMED: AnswerTransport = { streams: true, maxBytes: 200_000_000 }

/** Reads the whole answer of tariff_rates_get without keeping it. */
async function wholeAnswer(headers: Record<string, string>, transport = STREAMED) {
  const meters: Meter[] = []
  const openStore = (meter: Meter) => {
    meters.push(meter)
    return world.services.openStore(meter)
  }
  const services = { ...world.services, openStore, transport }
  const event = anEvent({ body: signedForm(tariffRatesGet, { u: 'carol' }), headers })
  const read = { rows: 0, bytes: 0, sent: 0, requestsAtFirstByte: 0, tail: '' }
  const requests = () => meters[0]?.spent.requests ?? 0
  await streamed(tariffRatesGet, services, [event, aContext()], async (answer) => {
    answer.once('data', () => {
      read.requestsAtFirstByte = requests()
    })
    answer.on('data', (chunk: Buffer) => {
      read.sent += chunk.length
    })
    const document = headers['accept-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer
    for await (const chunk of document) {
      const text = read.tail + chunk.toString()
      read.rows += text.split('</rate>').length - 1
      read.bytes += chunk.length
      read.tail = text.slice(1 - '</rate>'.length)
    }
  })
  return { ...read, requests: requests() }
}

async function* noRates() {
  yield []
}

test('500,000 rates are streamed, the first bytes before the last page is read', async () => {
  const answer = await wholeAnswer({})

  expect(answer).toMatchObject({ rows: LARGE.rates, tail: '/page>' })
  expect(answer.requestsAtFirstByte).toBeLessThan(answer.requests)
  const tariff = await findTariff(world.store, LARGE.tariff)
  const { expectedBytes } = rateRows(noRates(), tariff?.active, readSettings({}))
  expect(Math.abs(answer.bytes / expectedBytes - 1)).toBeLessThan(0.02)
})

test('500,000 rates are compressed if the client accepts gzip', async () => {
  const answer = await wholeAnswer({ 'accept-encoding': 'gzip' })

  expect(answer).toMatchObject({ rows: LARGE.rates, tail: '/page>' })
  expect(answer.sent).toBeLessThan(answer.bytes / 10)
})

test('an answer that exceeds a stream is refused before the first byte', async () => {
  const answer = await wholeAnswer({}, { streams: true, maxBytes: 100_000_000 })

  expect(answer).toMatchObject({ rows: 0, tail: '/page>' })
  expect(answer.requests).toBe(2)
})

const LOCAL: AnswerTransport = { streams: false, maxBytes: 25_000_000 }
const buffered = (transport: AnswerTransport, username: string) => {
  const event = anEvent({ body: signedForm(tariffRatesGet, { u: username }) })
  return serve(tariffRatesGet, { ...world.services, transport })(event, aContext())
}

test('a local server answers up to 20 MB from memory, and refuses larger answers', async () => {
  const { body } = await buffered(LOCAL, 'dave')
  const refusal = await buffered(LOCAL, 'carol')

  expect(body.length).toBeGreaterThan(18_000_000)
  expect(body.split('</rate>')).toHaveLength(MIDDLE.rates + 1)
  expect(refusal.body).toContain('<page><status><error>The answer is too large')
})
