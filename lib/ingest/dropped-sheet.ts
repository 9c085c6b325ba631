import type { Refusal } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import type { Obstacle } from '#lib/rates/replacement.ts'
import {
  importLines,
  obstacleToSheet,
  planSheet,
  type SheetJob,
  type SheetPlan,
} from '#lib/rates/sheets/import-sheet.ts'
import { profileOf } from '#lib/rates/sheets/profile.ts'
import { isQuestions, type Question } from '#lib/rates/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'
import { refusedCsv } from '#lib/rates/sheets/sheet-rates.ts'
import { findTariff } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import type { Store } from '#lib/table/store.ts'

interface SheetOutcome {
  readonly rows: number
  readonly written: number
  readonly unchanged: number
  readonly refused: number
  readonly remarks: readonly string[]
  /** The refused rows as CSV. */
  readonly rejected: string | undefined
  /** The reason why the tariff was not replaced. */
  readonly obstacle: string | undefined
}

interface SheetServices {
  readonly store: Store
  readonly clock: () => Date
}

/**
 * Imports a rate sheet without an operator, by a profile in JSON that has the tariff and the mode. The log of
 * the tariff names `who`. The tariff stays unchanged if a row is refused or the removals need permission.
 * Throws refused_file if the profile leaves a question open.
 */
export async function importDroppedSheet(
  services: SheetServices,
  bytes: Uint8Array,
  profile: string,
  who: string,
): Promise<SheetOutcome> {
  const reading = await readSheet(bytes, profileOf(profile, 'The profile'))
  const plan = await planSheet(await jobOf(services, reading))
  if (isQuestions(plan)) throw unanswered(plan[0])
  const { refused, lines } = plan.rates
  const found = await obstacleToSheet(plan, { withGaps: reading.profile.gaps === 'allowed' })
  const obstacle = found && describeObstacle(found, plan)
  const outcome = obstacle === undefined ? await importLines(plan, { who }) : undefined
  return {
    rows: lines.length + refused.length,
    written: outcome === 'written' ? lines.length : 0,
    unchanged: outcome === 'unchanged' ? lines.length : 0,
    refused: refused.length,
    remarks: remarksOf(plan, obstacle),
    rejected: refused.length > 0 ? refusedCsv(refused) : undefined,
    obstacle,
  }
}

async function jobOf({ store, clock }: SheetServices, reading: SheetReading): Promise<SheetJob> {
  const { questions, profile } = reading
  const [open] = questions
  if (open) throw unanswered(open)
  const { tariff: id, mode } = profile
  if (id === undefined || mode === undefined)
    throw fileRefused(`The profile lacks ${id === undefined ? 'the tariff' : 'the mode, replace or merge'}`)
  const tariff = await findTariff(store, id)
  if (!tariff) throw fileRefused(`There is no tariff ${id}`)
  return { store, tariff, reading, now: clock() }
}

const unanswered = (open: Question | undefined): Refusal<'refused_file'> =>
  fileRefused(`${open?.asks}: answer it in the profile, as ${open?.about}`)

const describeObstacle = (
  obstacle: Obstacle,
  { rates: { refused }, removals = '', gaps = '' }: SheetPlan,
): string =>
  ({
    'refused rows': `${refused.length} of its rows are refused; line ${refused[0]?.line}: ${refused[0]?.reason}`,
    'no rows': 'the sheet holds no rates',
    removals,
    gaps,
  })[obstacle]

const remarksOf = (
  { tariff, change, customers, warnings }: SheetPlan,
  obstacle: string | undefined,
): string[] => [
  `tariff ${tariff.id}: ${describeChange(change)}; customers of the tariff: ${customers}`,
  ...warnings,
  ...(obstacle === undefined ? [] : [`tariff ${tariff.id} is not switched: ${obstacle}`]),
]
