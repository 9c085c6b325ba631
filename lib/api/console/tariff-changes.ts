import { Refusal } from '#lib/base/refusal.ts'
import { NO_ROWS } from '#lib/base/row-refused.ts'
import { changeOf, mergeByKey } from '#lib/rates/lines.ts'
import { readLines, type Version } from '#lib/rates/prefix-versions.ts'
import { fromLine, keyOfLine, ratesOf, type Tariff } from '#lib/rates/tariff.ts'
import { listVersions } from '#lib/rates/version-history.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { unknownThing } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'
import { rateRow } from './tariff-rows.ts'

/** The rates of both versions together, about 150 units. */
const MOST_COMPARED = 20_000

const MOST_LISTED = 500

/** The rates that differ between two versions, by default the previous and the active one. */
export async function compareVersions(
  { store, settings }: Pick<ConsoleRequest, 'store' | 'settings'>,
  tariff: Tariff,
  wanted: { readonly from?: number | undefined; readonly to?: number | undefined },
) {
  const list = ratesOf(tariff.id)
  const versions = await listVersions(store, list)
  const to = versionIn(versions, wanted.to ?? tariff.active?.version)
  const from = versionIn(versions, wanted.from ?? tariff.previous?.version)
  if (from.rows + to.rows > MOST_COMPARED) throw tooManyRates(tariff, from.rows + to.rows)
  const [before, after] = await Promise.all([readLines(store, list, from), readLines(store, list, to)])
  return {
    from: from.version,
    to: to.version,
    currency: tariff.currency || settings.Default_Currency,
    ...ratesThatDiffer(before, after, settings),
  }
}

/** Counts the rates of two sorted lists by their change, and lists the first that differ. */
export function ratesThatDiffer(before: Iterable<string>, after: Iterable<string>, settings: Settings) {
  const counts = { ...NO_ROWS }
  const rowOf = (line: string | undefined) => (line === undefined ? null : rateRow(fromLine(line), settings))
  const rates = []
  for (const group of mergeByKey(before, after, keyOfLine)) {
    const kind = changeOf(group)
    counts[kind] += 1
    if (kind === 'unchanged' || rates.length === MOST_LISTED) continue
    rates.push({ before: rowOf(group.before[0]), after: rowOf(group.after[0]) })
  }
  const { new: added, ...others } = counts
  return { added, ...others, rates, isCut: added + others.removed + others.changed > rates.length }
}

function versionIn(versions: readonly Version[], wanted: number | undefined): Version {
  const found = versions.find(({ version }) => version === wanted)
  if (!found) throw unknownThing('version', wanted ?? 'before the active one')
  return found
}

const tooManyRates = ({ id }: Tariff, rates: number) =>
  new Refusal('too_many_compared', { rates, most: MOST_COMPARED, tariff: String(id) })
