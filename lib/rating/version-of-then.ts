import { once } from '#lib/domain/collections.ts'
import type { Version } from '#lib/store/rates/prefix-versions.ts'
import { switchesOfRates, versionsOfRates } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

/** The version of a tariff's rates that counted at a moment, in Unix seconds; `undefined` when it is not kept any more. */
type VersionOfThen = (tariffId: number, at: number) => Promise<Version | undefined>

/** Asks the log of switches, once for each tariff: a version that was brought back has counted more than once. */
export function openVersionsOfThen(store: Store): VersionOfThen {
  const history = once(async (tariffId) => ({
    switches: await switchesOfRates(store, tariffId),
    versions: await versionsOfRates(store, tariffId),
  }))
  return async (tariffId, at) => {
    const { switches, versions } = await history(tariffId)
    const last = switches.findLast((one) => Date.parse(one.at) <= at * 1000)
    return versions.find(({ version }) => version === last?.to)
  }
}
