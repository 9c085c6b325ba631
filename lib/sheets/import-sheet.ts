import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { SheetReading } from '#lib/sheets/read-sheet.ts'
import { countAccountsWithTariff } from '#lib/store/accounts/account.ts'
import { findTariff, readRates, replaceRates, switchesOfRates, type Tariff } from '#lib/store/rates/tariff.ts'
import type { NewLines } from '#lib/store/rates/version-replacement.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { type CallUse, checkCallUse } from '#lib/tariffs/call-use.ts'
import { plannedRates } from '#lib/tariffs/sheet-plan.ts'
import { describeBelowCost } from '#lib/tariffs/sold-below-cost.ts'
import { compareRates, type TariffChange } from '#lib/tariffs/tariff-change.ts'
import { ratesOfSheet, type SheetRates } from './sheet-rates.ts'

/** A rate sheet without open questions, and its tariff. */
export interface SheetJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly reading: SheetReading
  /** Whether the sheet is the whole tariff; otherwise it changes some of its rates. */
  readonly isWhole: boolean
  /** The number of days whose calls are checked for a missing rate. */
  readonly checkUse?: number | undefined
  readonly now: Date
  /** The time zone of the installation, and of the dates in the sheet. */
  readonly zone: string
}

/** The effect of importing a rate sheet. Nothing is written yet. */
export interface SheetPlan extends Omit<SheetJob, 'reading' | 'checkUse'> {
  /** The rates in the sheet. */
  readonly rates: SheetRates
  /** The new rates of the whole tariff. */
  readonly lines: readonly string[]
  readonly change: TariffChange
  /** The number of prefixes that stay for now, because the sheet removes them later. */
  readonly waiting: number
  readonly customers: number
  readonly use: CallUse | undefined
  /** Warnings about prefixes sold below cost, in lines for an operator. */
  readonly belowCost: readonly string[]
}

/** Compares a rate sheet with its tariff. Throws DatasetError if they have different currencies. */
export async function planSheet({ reading, checkUse: days, ...job }: SheetJob): Promise<SheetPlan> {
  const { store, tariff, isWhole, zone } = job
  refuseCurrency(tariff, reading)
  const now = secondsOf(job.now)
  const rates = ratesOfSheet(reading, tariff.id, { firstImport: job.now, zone })
  const stored = await readRates(store, tariff, tariff.active)
  const { lines, waiting } = plannedRates(stored, { isWhole, now, lines: rates.lines, ended: rates.ended })
  return {
    ...job,
    rates,
    lines,
    waiting,
    change: compareRates(stored, lines, now),
    customers: await countAccountsWithTariff(store, tariff),
    belowCost: await describeBelowCost(store, { tariff, lines, now }),
    use:
      days === undefined
        ? undefined
        : await checkCallUse(store, { id: tariff.id, before: stored, after: lines, days, now }),
  }
}

function refuseCurrency({ id, currency }: Tariff, { profile }: SheetReading): void {
  if (profile.currency === undefined || profile.currency === currency) return
  throw new DatasetError(
    `The sheet is in ${profile.currency}, tariff ${id} in ${currency}: use a tariff in ${profile.currency}`,
  )
}

/** Switches the tariff to the planned rates. Throws DatasetError if the tariff was switched since it was compared. */
export function importSheet(
  { store, tariff, now, lines }: SheetPlan,
  writing: Pick<NewLines, 'who' | 'onProgress' | 'signal'>,
): Promise<'written' | 'unchanged'> {
  const madeFrom = { version: tariff.active?.version }
  const wanted = { lines, at: now, madeFrom, ...writing }
  return replaceRates(store, tariff.id, wanted).catch(async (error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${await raceOver(store, tariff)}: import the sheet again`)
  })
}

/** Describes the change of the tariff since the sheet was compared with it. */
async function raceOver(store: Store, { id, active }: Tariff): Promise<string> {
  const now = await findTariff(store, id)
  if (!now) return `Tariff ${id} was deleted`
  if (now.active?.version === active?.version) return `Tariff ${id} is being imported by another command`
  const [last] = (await switchesOfRates(store, id)).slice(-1)
  const by = last ? `, by ${last.who} at ${last.at}` : ''
  return `Tariff ${id} was switched to version ${now.active?.version} since the sheet was compared with it${by}`
}
