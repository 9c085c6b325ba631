import { linesBeside } from '#lib/rates/prefix-versions.ts'
import { findTariff, ratesOf } from '#lib/rates/tariff.ts'
import type { World } from '#test/world.ts'

/** The origins of the active version of a tariff, as lines. */
export async function readOriginLines({ store }: World, tariffId: number): Promise<string[]> {
  const tariff = await findTariff(store, tariffId)
  return [...(await linesBeside(store, ratesOf(tariffId), tariff?.active))]
}
