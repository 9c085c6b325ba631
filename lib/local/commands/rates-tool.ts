import { rm, writeFile } from 'node:fs/promises'
import type { RefusedRow } from '#lib/csv/writer.ts'
import { formatDateTime } from '#lib/domain/calendar.ts'
import type { Rate } from '#lib/domain/rates/rating.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { importSheet, planSheet, type SheetPlan } from '#lib/sheet-import/import-sheet.ts'
import { refusedCsv } from '#lib/sheet-import/sheet-rates.ts'
import type { Profile } from '#lib/sheets/profile.ts'
import type { SheetReading } from '#lib/sheets/read-sheet.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { describeCallUse } from '#lib/tariffs/call-use.ts'
import { describeChange, removalsOf } from '#lib/tariffs/tariff-change.ts'
import { type RatesWorld, readAnswered, type SheetWish } from './sheet-answers.ts'
import { retryAfterImport } from './switches/suspense-tool.ts'
import { tariffNamed } from './tariff-tool.ts'

const DONE = 0
const ROWS_REFUSED = 1
const NOT_POSSIBLE = 2

/** Previews or imports a rate sheet. Returns the exit code. */
export async function runSheet(world: RatesWorld, wish: SheetWish): Promise<number> {
  const reading = await readAnswered(world, wish)
  if (!reading) return NOT_POSSIBLE
  const tariff = await tariffOf(world.store, reading.profile)
  const { Timezone: zone } = readSettings(await findSettings(world.store))
  const isWhole = reading.profile.mode === 'replace'
  const { store } = world
  const { checkUse } = wish
  const plan = await planSheet({ store, tariff, reading, isWhole, checkUse, now: world.clock(), zone })
  describeReading(world, reading, wish.path)
  describePlan(world, plan)
  await writeRefused(world, wish.path, plan.rates.refused)
  if (wish.dryRun) return plan.rates.refused.length > 0 ? ROWS_REFUSED : DONE
  return write(world, wish, plan)
}

function tariffOf(store: Store, { tariff }: Profile): Promise<Tariff> {
  if (tariff === undefined) throw new CommandError('Say which tariff the sheet is for: --tariff ID')
  return tariffNamed(store, String(tariff))
}

async function write(world: RatesWorld, wish: SheetWish, plan: SheetPlan): Promise<number> {
  const { refused, lines, ended } = plan.rates
  const { id } = plan.tariff
  if (refused.length > 0 && !wish.acceptRejected) {
    world.say(`Tariff ${id} is not switched: --accept-rejected imports the other rows`)
    return ROWS_REFUSED
  }
  if (lines.length === 0 && ended.size === 0)
    throw new CommandError(`The sheet holds no rates: tariff ${id} is not switched`)
  if (!(await mayRemove(world, wish, plan))) {
    world.say(`Tariff ${id} is not switched: --allow-removals does it all the same`)
    return NOT_POSSIBLE
  }
  const { who, onProgress, signal } = world
  const outcome = await importSheet(plan, { who, onProgress, signal })
  world.say(outcome === 'written' ? `Tariff ${id} is switched` : `Tariff ${id} is as the sheet says already`)
  const cured = await retryAfterImport(world.store, ['rates'], world.clock())
  if (cured !== undefined) world.say(cured)
  return refused.length > 0 ? ROWS_REFUSED : DONE
}

async function mayRemove({ ask }: RatesWorld, wish: SheetWish, { change }: SheetPlan): Promise<boolean> {
  const removals = removalsOf(change)
  if (removals === undefined || wish.allowRemovals) return true
  return (await ask?.(`${removals}. Import the sheet?`, ['yes', 'no'])) === 'yes'
}

type Say = Pick<RatesWorld, 'say'>

/** Prints how the sheet is read. */
function describeReading({ say }: Say, { profile, unused, skipped }: SheetReading, path: string): void {
  const { columns = {}, delimiter, encoding, decimal, dates, currency, rate_factor } = profile
  const way = {
    delimiter: delimiter && JSON.stringify(delimiter),
    encoding,
    decimal,
    dates,
    currency,
    rate_factor,
  }
  const found = Object.entries(way).filter(([, value]) => value !== undefined)
  say(
    `${path} is read with ${found.map(([name, value]) => `${name} ${value}`).join(', ') || 'nothing to find out'}`,
  )
  const named = Object.entries(columns).map(([role, heading]) => `${role} from ${JSON.stringify(heading)}`)
  say(`  ${named.join(', ')}`)
  if (unused.length > 0) say(`  not used: ${unused.map((heading) => JSON.stringify(heading)).join(', ')}`)
  if (skipped > 0) say(`  ${skipped} lines without a code and a rate are left out`)
}

/** Prints what the import would change. */
function describePlan(
  { say }: Say,
  { tariff, zone, isWhole, rates, change, waiting, customers, use, belowCost }: SheetPlan,
): void {
  if (rates.sample.length > 0) say('The first rates, as they are stored:')
  for (const rate of rates.sample) say(`  ${describeRate(rate, zone)}`)
  const way = isWhole ? 'replaces' : 'is merged into'
  say(
    `The sheet of ${rates.lines.length} rates ${way} tariff ${tariff.id} (${tariff.name}, ${tariff.currency})`,
  )
  say(`  ${describeChange(change)}`)
  say(`  customers on it: ${customers}`)
  for (const line of [...belowCost, ...(use ? describeCallUse(use) : [])]) say(`  ${line}`)
  const removals = removalsOf(change)
  if (removals !== undefined) say(`  ${removals}: that needs --allow-removals`)
  if (waiting > 0)
    say(
      `  ${waiting} prefixes stay for now, since the sheet removes them later: import it again from that day on`,
    )
}

function describeRate({ prefix, destination, tariff_rate, con_fee, ...rate }: Rate, zone: string): string {
  const from =
    rate.effective_from === undefined ? 'at once' : `from ${formatDateTime(rate.effective_from, zone)}`
  const billing = `increments ${rate.min_time}/${rate.increment}`
  return `${prefix} ${destination}: ${tariff_rate} a minute, ${con_fee} a connection, ${billing}, ${from}`
}

const SHOWN_REFUSALS = 10

/** Writes `<sheet>.rejected.csv` with the cells of the sheet. Removes the file of an earlier run when no row is refused. */
async function writeRefused({ say }: Say, path: string, refused: readonly RefusedRow[]): Promise<void> {
  const rejected = `${path}.rejected.csv`
  if (refused.length === 0) return rm(rejected, { force: true })
  await writeFile(rejected, refusedCsv(refused), { mode: 0o600 })
  say(`${refused.length} rows are refused:`)
  for (const { line, reason } of refused.slice(0, SHOWN_REFUSALS)) say(`  line ${line}: ${reason}`)
  say(`  all of them: ${rejected}`)
}
