import type { Cells } from '#lib/table/cells/row-source.ts'
import { callsIn } from '#test/dump.ts'
import { aMinute, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

/** Rates of a minute: Bob and Rick pay the dear one, Carol 4 dollars, and Potomac charges half a dollar. */
export const minuteRates = (dear: string): Cells[] => [
  rate({ prefix: '44', tariff_rate: dear }),
  rate({ tariff_id: '2', prefix: '44', tariff_rate: '2' }),
  rate({ tariff_id: '3', prefix: '44', tariff_rate: '0.5' }),
]

/** A call of a minute by Bob, unless the columns name another customer. */
export const minuteOfBob = (uniqueid: string, columns: Readonly<Record<string, string>> = {}) => ({
  uniqueid,
  ...aMinute,
  user_id: '10',
  ...columns,
})

/** An installation that has rated these calls, at one dollar a minute for Bob. */
export async function aRatedInstallation(
  records: readonly Readonly<Record<string, string>>[],
): Promise<World> {
  const world = await aWorld({ ...threeTariffs, rates: minuteRates('1') })
  await consume(world, { type: 'calls', records })
  return world
}

/** Re-rates every call of the month of the tests that was rated and is on no invoice. */
export const MARCH = { from: '2026-03-01', till: '2026-03-31', with: 'active' }

/** The prices of the customer, the reseller and the provider of every call, by its unique id. */
export async function pricesIn(world: World): Promise<Record<string, unknown[]>> {
  const calls = callsIn(await world.dump())
  return Object.fromEntries(
    calls.map((call) => [call.uniqueid, [call.user_price, call.reseller_price, call.provider_price]]),
  )
}
