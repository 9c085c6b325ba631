import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { originLines } from '#lib/rates/origins/origins.ts'
import { packPages } from '#lib/rates/prefix-pages.ts'
import { toLine } from '#lib/rates/tariff.ts'
import { people } from '#test/examples/examples.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { anyTimeRate, rate, withTariff } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { BLANK_CALL } from '../call.ts'
import { explainCall } from './call-rating.ts'

/** The read units and the requests that rating one call takes. */
async function spentOn(origins: boolean) {
  const world = await aWorld({
    users: withTariff(people, { bob: '1' }),
    tariffs: [{ id: '1', name: 'Retail', currency: '', owner_id: '0' }],
    ...(origins && { origins: [{ tariff_id: '1', origin: 'EEA', prefix: '49' }] }),
    rates: [
      rate({ prefix: '32' }),
      ...(origins ? [rate({ prefix: '32', origin: 'EEA', tariff_rate: '2' })] : []),
    ],
  })
  const row = {
    ...{
      ...BLANK_CALL,
      uniqueid: 'one',
      calldate: secondsOf(world.now),
      src: '4930123456',
      dst: '3221234567',
    },
    ...{ disposition: 'ANSWERED', hangupcause: 16, duration: 60, billsec: 60, user_id: 10 },
  }
  const before = { ...world.meter.spent }
  const { rated } = await explainCall(world.store, row)
  const price = typeof rated === 'string' ? rated : rated.user_price
  const { read, write, roundTrips } = world.meter.spent
  return {
    price,
    read: read - before.read,
    write: write - before.write,
    trips: roundTrips - before.roundTrips,
  }
}

test('a tariff with origins costs at most one read unit more for a call, asked beside the rate, and no write', async () => {
  const [plain, ofOrigins] = [await spentOn(false), await spentOn(true)]

  expect([plain.price, ofOrigins.price]).toEqual(['1', '2'])
  expect(ofOrigins.read - plain.read).toBeLessThanOrEqual(1)
  expect(ofOrigins.read).toBeGreaterThan(plain.read)
  expect([plain.write, ofOrigins.write]).toEqual([0, 0])
  expect(ofOrigins.trips).toBe(plain.trips)
})

const lineOf = (prefix: string, origin: string, tariff_rate: string) =>
  toLine(anyTimeRate({ prefix, origin, tariff_rate, destination: `Country ${prefix.slice(0, 3)}` }))

test('30,000 rates with 45 countries and 3 groups of callers have at most 6 pages more', () => {
  const random = seeded(72)
  const below = (bound: number) => Math.floor(random() * bound)
  const price = () => (below(100_000) / 100_000).toFixed(4)
  const prefixes = [...new Set(Array.from({ length: 45_000 }, () => String(1000 + below(1e6))))].slice(
    0,
    30_000,
  )
  const plain = prefixes.map((prefix) => lineOf(prefix, '', price()))
  const groups = ['EEA', 'GRPA', 'GRPB']
  const ofGroups = prefixes
    .slice(0, 900)
    .flatMap((code) => groups.map((group) => lineOf(code, group, price())))
  const countries = Array.from({ length: 45 }, (_, country) => String(300 + country * 15))
  const origins = originLines([
    ...countries.flatMap((code) =>
      Array.from({ length: 20 }, (_, area) => ({
        origin: `national ${code}`,
        prefix: `${code}${area + 10}`,
      })),
    ),
    ...groups.flatMap((origin, group) =>
      Array.from({ length: 670 }, (_, code) => ({ origin, prefix: String(200 + group + code) })),
    ),
  ])
  const pagesOf = (lines: readonly string[]) => [...packPages('PAGES', [...lines].sort())].length

  expect(plain).toHaveLength(30_000)
  expect(pagesOf([...plain, ...ofGroups]) + pagesOf(origins)).toBeLessThanOrEqual(pagesOf(plain) + 6)
})
