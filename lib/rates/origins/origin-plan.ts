import { secondsOf } from '#lib/base/calendar.ts'
import type { Store } from '#lib/table/store.ts'
import { linesBeside, readLines } from '../prefix-versions.ts'
import { type PlannedLines, planTariff, type TariffPlan } from '../replacement.ts'
import { ratesOf, type Tariff } from '../tariff.ts'
import { type ListedOrigin, originLines, originsInLines } from './origins.ts'

/** The effect of new origins on a tariff, whose rates stay. Nothing is written yet. */
export interface OriginPlan extends TariffPlan, PlannedLines {
  readonly before: Iterable<string>
  /** The prefixes of callers that each origin gains and loses, in words. */
  readonly summary: string
}

interface OriginJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly listed: readonly ListedOrigin[]
  /** Whether origins that are not listed are removed. */
  readonly isWhole: boolean
  readonly now: Date
}

/** Throws refused_file if a rate would have an unknown origin. */
export async function planOrigins({ listed, isWhole, ...job }: OriginJob): Promise<OriginPlan> {
  const { store, tariff, now } = job
  const stored = await storedOrigins(store, tariff)
  const origins = originLines(isWhole ? listed : replacing(stored, listed))
  const before = [...(await readLines(store, ratesOf(tariff.id), tariff.active))]
  const compared = { id: tariff.id, before, after: before, now: secondsOf(now), origins }
  const effect = await planTariff(store, tariff, compared)
  return {
    ...job,
    ...effect,
    before,
    lines: before,
    origins,
    summary: describe(stored, originsInLines(origins)),
  }
}

export const storedOrigins = async (store: Store, { id, active }: Tariff): Promise<ListedOrigin[]> =>
  originsInLines(await linesBeside(store, ratesOf(id), active))

/** The origins of a tariff with others, which replace those of their names, as lines. */
export const originsWith = async (
  store: Store,
  tariff: Tariff,
  listed: readonly ListedOrigin[],
): Promise<string[]> => originLines(replacing(await storedOrigins(store, tariff), listed))

function replacing(stored: readonly ListedOrigin[], listed: readonly ListedOrigin[]): ListedOrigin[] {
  const named = new Set(listed.map(({ origin }) => origin))
  return [...stored.filter(({ origin }) => !named.has(origin)), ...listed]
}

/** `EEA: 30 prefixes added; GRPA: 2 added, 1 removed`. */
function describe(before: readonly ListedOrigin[], after: readonly ListedOrigin[]): string {
  const [old, present] = [before, after].map(
    (rows) => new Set(rows.map(({ origin, prefix }) => `${prefix}\t${origin}`)),
  )
  const changes = [...new Set([...before, ...after].map(({ origin }) => origin))].sort().flatMap((name) => {
    const added = after.filter((one) => one.origin === name && !old?.has(`${one.prefix}\t${name}`)).length
    const removed = before.filter(
      (one) => one.origin === name && !present?.has(`${one.prefix}\t${name}`),
    ).length
    const words = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])]
    return words.length > 0 ? [`${name}: ${words.join(', ')}`] : []
  })
  const more = changes.length > MAX_NAMED ? `; and ${changes.length - MAX_NAMED} more origins` : ''
  return changes.length === 0
    ? 'No prefix of callers changes'
    : `Prefixes of callers: ${changes.slice(0, MAX_NAMED).join('; ')}${more}`
}

const MAX_NAMED = 10
