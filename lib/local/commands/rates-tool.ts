import { readSettings } from '#lib/domain/settings.ts'
import { Failure } from '#lib/local/failure.ts'
import {
  importSheet,
  previewSheet,
  type SheetJob,
  type SheetPreview,
} from '#lib/sheet-import/import-sheet.ts'
import type { Profile } from '#lib/sheets/profile.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { removalsOf } from '#lib/tariffs/tariff-change.ts'
import { readAnswered } from './sheet-answers.ts'
import type { RatesWorld, SheetWish } from './sheet-wish.ts'
import { describePreview, describeReading, writeRefused } from './sheet-words.ts'
import { retryAfterImport } from './switches/suspense-tool.ts'
import { tariffNamed } from './tariff-tool.ts'

const DONE = 0
const ROWS_REFUSED = 1
const NOT_POSSIBLE = 2

/** Shows what a sheet would do to its tariff, or imports it. Answers the exit code. */
export async function runSheet(world: RatesWorld, wish: SheetWish): Promise<number> {
  const reading = await readAnswered(world, wish)
  if (!reading) return NOT_POSSIBLE
  const tariff = await tariffOf(world.store, reading.profile)
  const { Timezone: zone } = readSettings(await findSettings(world.store))
  const isWhole = reading.profile.mode === 'replace'
  const { checkUse } = wish
  const job: SheetJob = { store: world.store, tariff, reading, isWhole, checkUse, now: world.clock(), zone }
  const preview = await previewSheet(job)
  describeReading(world, reading, wish.path)
  describePreview(world, job, preview)
  await writeRefused(world, wish.path, preview.rates.refused)
  if (wish.dryRun) return preview.rates.refused.length > 0 ? ROWS_REFUSED : DONE
  return write(world, wish, { job, preview })
}

function tariffOf(store: Store, { tariff }: Profile): Promise<Tariff> {
  if (tariff === undefined) throw new Failure('Say which tariff the sheet is for: --tariff ID')
  return tariffNamed(store, String(tariff))
}

interface Planned {
  readonly job: SheetJob
  readonly preview: SheetPreview
}

async function write(world: RatesWorld, wish: SheetWish, { job, preview }: Planned): Promise<number> {
  const { refused, lines, ended } = preview.rates
  const { id } = job.tariff
  if (refused.length > 0 && !wish.acceptRejected) {
    world.say(`Tariff ${id} is not switched: --accept-rejected imports the other rows`)
    return ROWS_REFUSED
  }
  if (lines.rows === 0 && ended.size === 0)
    throw new Failure(`The sheet holds no rates: tariff ${id} is not switched`)
  if (!(await mayRemove(world, wish, preview))) {
    world.say(`Tariff ${id} is not switched: --allow-removals does it all the same`)
    return NOT_POSSIBLE
  }
  const outcome = await importSheet(job, preview, {
    who: world.who,
    onProgress: world.onProgress,
    signal: world.signal,
  })
  world.say(outcome === 'written' ? `Tariff ${id} is switched` : `Tariff ${id} is as the sheet says already`)
  const cured = await retryAfterImport(world.store, ['rates'], world.clock())
  if (cured !== undefined) world.say(cured)
  return refused.length > 0 ? ROWS_REFUSED : DONE
}

async function mayRemove({ ask }: RatesWorld, wish: SheetWish, { change }: SheetPreview): Promise<boolean> {
  const removals = removalsOf(change)
  if (removals === undefined || wish.allowRemovals) return true
  return (await ask?.(`${removals}. Import the sheet?`, ['yes', 'no'])) === 'yes'
}
