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
  tariff: TariffOfCaller,
  number: CallerNumber,
  seconds: number,
): Promise<CallerOfRate> {
  const version = tariff.active && versionOfOrigins(tariff.active)
  const lines = number.digits === undefined ? [] : await find(originsOf(tariff.id), version, number.digits)
  return callerOfLines(tariff, number, lines, seconds)
}

/** The same, of the lines of origins whose prefixes lead the caller's number. */
export const callerOfLines = (
  { invalid_caller }: Pick<TariffOfCaller, 'invalid_caller'>,
  { digits, detail }: CallerNumber,
  lines: readonly string[],
  seconds: number,
): CallerOfRate => ({
  origins: digits === undefined ? OF_INVALID : originsOfLines(lines),
  detail,
  isInvalid: digits === undefined,
  invalid_caller,
  seconds,
})

const OF_INVALID = [{ name: INVALID, prefix: '' }]
