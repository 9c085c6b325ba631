import type { CallerNumber } from '../numbers/caller-number.ts'
import type { Version } from '../prefix-versions.ts'
import type { CallerOfRate, InvalidCaller } from './matching.ts'
import { INVALID, type LinesFinder, originsOf, originsOfLines, versionOfOrigins } from './origins.ts'

/** The columns of a tariff that decide about its callers. */
interface TariffOfCaller {
  readonly id: number
  readonly active: Version | undefined
  readonly invalid_caller: InvalidCaller
}

/** The caller of a call as a tariff with origins sees it. Reads at most one page. */
export async function findCallerOfRate(
  find: LinesFinder,
  { id: tariffId, active: version, invalid_caller }: TariffOfCaller,
  { digits, detail }: CallerNumber,
  seconds: number,
): Promise<CallerOfRate> {
  const origins =
    digits === undefined
      ? [{ name: INVALID, prefix: '' }]
      : originsOfLines(await find(originsOf(tariffId), version && versionOfOrigins(version), digits))
  return { origins, detail, isInvalid: digits === undefined, invalid_caller, seconds }
}
