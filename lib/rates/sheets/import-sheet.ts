import { secondsOf } from '#lib/base/calendar.ts'
import { FileRefused } from '#lib/base/row-refused.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { readLines } from '../prefix-versions.ts'
import {
  type CallUseCheck,
  type Obstacle,
  obstacleTo,
  orRaced,
  type Permission,
  planTariff,
  type TariffPlan,
} from '../replacement.ts'
import { plannedRates } from '../sheet-plan.ts'
import { findTariff, ratesOf, type Tariff } from '../tariff.ts'
import { listSwitches } from '../version-history.ts'
import { type NewLines, replaceLines } from '../version-replacement.ts'
import { isSameCurrency } from './numbers.ts'
import type { SheetReading } from './read-sheet.ts'
import { ratesOfSheet, type SheetRates } from './sheet-rates.ts'

/** A rate sheet without open questions, and its tariff. */
export interface SheetJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly reading: SheetReading
  readonly checkUse?: CallUseCheck | undefined
  readonly now: Date
}

/** The effect of importing a rate sheet. Nothing is written yet. */
export interface SheetPlan extends TariffPlan, Omit<SheetJob, 'reading' | 'checkUse'> {
  /** Whether the sheet is the whole tariff; otherwise it changes some of its rates. */
  readonly isWhole: boolean
  /** The time zone of the installation, and of the dates in the sheet. */
  readonly zone: string
  readonly rates: SheetRates
  readonly before: Iterable<string>
  /** The new rates of the whole tariff. */
  readonly lines: readonly string[]
  /** The number of prefixes that the sheet ends at a later moment. */
  readonly ending: number
}

/** Compares a rate sheet with its tariff. Throws FileRefused if they have different currencies. */
export async function planSheet({ reading, checkUse, ...job }: SheetJob): Promise<SheetPlan> {
  const { store, tariff } = job
  refuseCurrency(tariff, reading)
  const isWhole = reading.profile.mode === 'replace'
  const settings = await settingsOf(store)
  const { Timezone: zone } = settings
  const now = secondsOf(job.now)
  const rates = ratesOfSheet(reading, tariff.id, { firstImport: job.now, zone, dialling: settings })
  const before = await readLines(store, ratesOf(tariff.id), tariff.active)
  const { lines, ending } = plannedRates(before, { isWhole, now, lines: rates.lines, ended: rates.ended })
  const effect = await planTariff(store, tariff, { id: tariff.id, before, after: lines, now }, checkUse)
  const warnings = [...describeFree(rates), ...effect.warnings]
  return { ...job, ...effect, warnings, isWhole, zone, rates, before, lines, ending }
}

/** Some carriers write 0 for what they do not sell. */
const describeFree = ({ free: [first, ...others] }: SheetRates): string[] =>
  first === undefined ? [] : [`rates of 0: ${others.length + 1}; calls to ${first} are free`]

/** The reason why the tariff must not be switched to the planned rates. */
export const obstacleToSheet = (
  { rates: { refused, lines, ended }, removals }: SheetPlan,
  permission: Permission,
): Promise<Obstacle | undefined> =>
  obstacleTo(
    { refused: refused.length, isEmpty: lines.length === 0 && ended.size === 0, removals },
    permission,
  )

function refuseCurrency({ id, currency }: Tariff, { profile }: SheetReading): void {
  if (profile.currency === undefined || isSameCurrency(profile.currency, currency)) return
  throw new FileRefused(
    `The sheet is in ${profile.currency}, tariff ${id} in ${currency}: use a tariff in ${profile.currency}`,
  )
}

export type PlannedLines = Pick<SheetPlan, 'store' | 'tariff' | 'now' | 'lines'>

/** Switches the tariff to the planned rates. Throws FileRefused if it was switched since the comparison. */
export async function importLines(
  { store, tariff, now, lines }: PlannedLines,
  writing: Pick<NewLines, 'who' | 'onProgress' | 'signal'>,
): Promise<'written' | 'unchanged'> {
  const madeFrom = { version: tariff.active?.version }
  const outcome = await orRaced(
    replaceLines(store, ratesOf(tariff.id), { lines, at: now, madeFrom, ...writing }),
  )
  if (outcome === 'raced') throw new FileRefused(`${await raceOver(store, tariff)}: import the sheet again`)
  return outcome
}

/** Describes the change of the tariff since the sheet was compared with it. */
async function raceOver(store: Store, { id, active }: Tariff): Promise<string> {
  const now = await findTariff(store, id)
  if (!now) return `Tariff ${id} was deleted`
  if (now.active?.version === active?.version) return `Tariff ${id} is being imported by another command`
  const [last] = (await listSwitches(store, ratesOf(id))).slice(-1)
  const by = last ? `, by ${last.who} at ${last.at}` : ''
  return `Tariff ${id} was switched to version ${now.active?.version} since the sheet was compared with it${by}`
}
