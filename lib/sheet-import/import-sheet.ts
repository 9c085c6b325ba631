import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { SheetReading } from '#lib/sheets/read-sheet.ts'
import { countAccountsWithTariff } from '#lib/store/accounts/account.ts'
import { type PackedLines, packLinePages, packLines } from '#lib/store/rates/packed-lines.ts'
import {
  findTariff,
  linesOfRates,
  replaceRates,
  switchesOfRates,
  type Tariff,
} from '#lib/store/rates/tariff.ts'
import type { NewLines } from '#lib/store/rates/version-replacement.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { type CallUse, checkCallUse } from '#lib/tariffs/call-use.ts'
import { plannedRates } from '#lib/tariffs/sheet-plan.ts'
import { describeBelowCost } from '#lib/tariffs/sold-below-cost.ts'
import { compareRates, type TariffChange } from '#lib/tariffs/tariff-change.ts'
import { ratesOfSheet, type SheetRates } from './sheet-rates.ts'

/** A sheet that has been read without an open question, and the tariff that it is for. */
export interface SheetJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly reading: SheetReading
  /** Whether the sheet is the whole tariff; otherwise it changes some of its rates. */
  readonly isWhole: boolean
  /** Also looks which calls of so many days would have no rate any more. */
  readonly checkUse?: number | undefined
  readonly now: Date
  /** The installation's, in which the dates of the sheet are local. */
  readonly zone: string
}

/** What importing the sheet would do. Nothing is written. */
export interface SheetPreview {
  readonly rates: SheetRates
  /** The whole tariff as it would be. */
  readonly lines: PackedLines
  readonly change: TariffChange
  /** Prefixes that stay for now, because what would remove them begins later. */
  readonly waiting: number
  readonly customers: number
  readonly use: CallUse | undefined
  /** What would be sold below cost, in lines for an operator. */
  readonly belowCost: readonly string[]
}

/** Throws DatasetError when the sheet has another currency than the tariff. */
export async function previewSheet({
  store,
  tariff,
  reading,
  isWhole,
  checkUse: days,
  ...when
}: SheetJob): Promise<SheetPreview> {
  refuseCurrency(tariff, reading)
  const now = secondsOf(when.now)
  const rates = ratesOfSheet(reading, tariff.id, { firstImport: when.now, zone: when.zone })
  const stored = await packLinePages(linesOfRates(store, tariff, tariff.active))
  const planned = plannedRates(stored, { isWhole, now, lines: rates.lines, ended: rates.ended })
  const lines = packLines(planned.lines)
  return {
    rates,
    lines,
    change: compareRates(stored, lines, now),
    waiting: planned.waiting.count,
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
    `The sheet is in ${profile.currency}, tariff ${id} in ${currency}: it is not imported`,
  )
}

/** One switch to the rates of the preview. Throws DatasetError when somebody else imports the tariff meanwhile. */
export function importSheet(
  { store, tariff, now }: SheetJob,
  { lines }: SheetPreview,
  writing: Pick<NewLines, 'who' | 'onProgress' | 'signal'>,
): Promise<'written' | 'unchanged'> {
  const madeFrom = { version: tariff.active?.version }
  const wanted = { lines, at: now, madeFrom, ...writing }
  return replaceRates(store, tariff.id, wanted).catch(async (error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${await raceOver(store, tariff)}: import the sheet again`)
  })
}

/** What happened to the tariff since the sheet was compared with it. */
async function raceOver(store: Store, { id, active }: Tariff): Promise<string> {
  const now = await findTariff(store, id)
  if (!now) return `Tariff ${id} is gone`
  if (now.active?.version === active?.version) return `Somebody else imports tariff ${id} at the same time`
  const [last] = (await switchesOfRates(store, id)).slice(-1)
  const by = last ? `, by ${last.who} at ${last.at}` : ''
  return `Tariff ${id} was switched to version ${now.active?.version} since the sheet was compared with it${by}`
}
