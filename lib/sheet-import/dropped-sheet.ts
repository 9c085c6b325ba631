import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import type { ImportServices } from '#lib/dataset/format/import-world.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { profileOf } from '#lib/sheets/profile.ts'
import { readSheet, type SheetReading } from '#lib/sheets/read-sheet.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { findTariff } from '#lib/store/rates/tariff.ts'
import { describeChange, removalsOf } from '#lib/tariffs/tariff-change.ts'
import { importSheet, previewSheet, type SheetJob, type SheetPreview } from './import-sheet.ts'
import { refusedCsv } from './refused-csv.ts'

/** A sheet that nobody is there to be asked about. */
export interface DroppedSheet {
  readonly bytes: Uint8Array
  /** How it is read: it names the tariff and the mode, too. */
  readonly profile: string
  /** Who brings it, for the log of the tariff. */
  readonly who: string
}

export interface SheetOutcome {
  readonly rows: number
  readonly written: number
  readonly unchanged: number
  readonly refused: number
  readonly remarks: readonly string[]
  /** The refused rows as CSV. */
  readonly rejected: string | undefined
  /** Why the tariff stays as it was. */
  readonly obstacle: string | undefined
}

/**
 * Imports a sheet as its profile says, or leaves the tariff as it was: for a refused row, and for removals that somebody would
 * have to allow. Throws DatasetError or SheetError for what is left open.
 */
export async function importDroppedSheet(
  services: ImportServices,
  { bytes, profile, who }: DroppedSheet,
): Promise<SheetOutcome> {
  const reading = await readSheet(bytes, profileOf(profile, 'The profile'))
  const job = await jobOf(services, reading)
  const preview = await previewSheet(job)
  const { refused, lines } = preview.rates
  const obstacle = obstacleTo(preview)
  const outcome = obstacle === undefined ? await importSheet(job, preview, { who }) : undefined
  return {
    rows: lines.rows + refused.length,
    written: outcome === 'written' ? lines.rows : 0,
    unchanged: outcome === 'unchanged' ? lines.rows : 0,
    refused: refused.length,
    remarks: remarksOf(job, preview, obstacle),
    rejected: refused.length > 0 ? refusedCsv(refused) : undefined,
    obstacle,
  }
}

async function jobOf({ store, clock }: ImportServices, reading: SheetReading): Promise<SheetJob> {
  const { questions, profile } = reading
  const [open] = questions
  if (open) throw new DatasetError(`${open.asks}: the profile must say it, as ${open.about}`)
  const { tariff: id, mode } = profile
  if (id === undefined || mode === undefined)
    throw new DatasetError(
      `The profile must say ${id === undefined ? 'the tariff' : 'the mode, replace or merge'}`,
    )
  const tariff = await findTariff(store, id)
  if (!tariff) throw new DatasetError(`There is no tariff ${id}`)
  const { Timezone: zone } = readSettings(await findSettings(store))
  return { store, tariff, reading, isWhole: mode === 'replace', now: clock(), zone }
}

function obstacleTo({ rates, change }: SheetPreview): string | undefined {
  if (rates.refused.length > 0) return `${rates.refused.length} of its rows are refused`
  if (rates.lines.rows === 0 && rates.ended.size === 0) return 'the sheet holds no rates'
  return removalsOf(change)
}

const remarksOf = (
  { tariff }: SheetJob,
  { change, customers, belowCost }: SheetPreview,
  obstacle: string | undefined,
): string[] => [
  `tariff ${tariff.id}: ${describeChange(change)}; customers on it: ${customers}`,
  ...belowCost,
  ...(obstacle === undefined ? [] : [`tariff ${tariff.id} is not switched: ${obstacle}`]),
]
