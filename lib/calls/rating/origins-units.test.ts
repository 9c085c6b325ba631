import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { people } from '#test/examples/examples.ts'
import { rate, withTariff } from '#test/examples/tariffs.ts'
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
  return { price, read: world.meter.spent.read - before.read, write: world.meter.spent.write - before.write }
}

test('a tariff with origins costs at most one read unit more for a call, and no write', async () => {
  const [plain, ofOrigins] = [await spentOn(false), await spentOn(true)]

  expect([plain.price, ofOrigins.price]).toEqual(['1', '2'])
  expect(ofOrigins.read - plain.read).toBeLessThanOrEqual(1)
  expect(ofOrigins.read).toBeGreaterThan(plain.read)
  expect([plain.write, ofOrigins.write]).toEqual([0, 0])
})
