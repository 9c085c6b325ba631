import { expect, test } from 'vitest'
import { toLine } from '#lib/rates/tariff.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { describeCallers } from './callers-shown.ts'

const OF_ORIGIN = [anyTimeRate({}), anyTimeRate({ origin: 'EEA' })].map(toLine)

const call = (uniqueid: string, rest: Readonly<Record<string, string>>) =>
  listedCall(uniqueid, { dst: '442079460000', calldate: '2026-03-10 09:00:00', ...rest })

async function aTown(calls: ReturnType<typeof call>[]) {
  const device = { id: '100', user_id: '10', name: 'bobs-phone', callerid: '"Bob" <+4930123456>' }
  const world = await aWorld({ users: people, devices: [device], calls })
  world.now = new Date('2026-03-10T20:00:00Z')
  return world
}

test('a tariff with origins tells how many of the newest calls have no usable number', async () => {
  const world = await aTown([
    call('number', { src: '12025550130' }),
    call('device', { src: 'bobs-phone', device_id: '100' }),
    call('shown', { src: 'anonymous', carrier_src: '+4930123456' }),
    call('withheld', { src: 'anonymous' }),
    call('free', { src: '1001', dst: '*98', user_price: '' }),
    call('old', { src: 'anonymous', calldate: '2026-03-01 09:00:00' }),
  ])

  expect(await describeCallers(world.store, OF_ORIGIN, world.now)).toEqual([
    'warning: callers without a usable number: 1 of the newest 4 calls, 25 %. Such calls pay what invalid callers do',
  ])
})

test('a tariff without origins reads nothing, and callers with numbers are no warning', async () => {
  const world = await aTown([call('number', { src: '12025550130' })])
  const { requests } = world.meter.spent

  expect(await describeCallers(world.store, [toLine(anyTimeRate({}))], world.now)).toEqual([])
  expect(world.meter.spent.requests).toBe(requests)
  expect(await describeCallers(world.store, OF_ORIGIN, world.now)).toEqual([
    'callers without a usable number: 0 of the newest 1 calls, 0 %',
  ])
})
