import { rm, writeFile } from 'node:fs/promises'
import { formatDateTime } from '#lib/domain/calendar.ts'
import type { Rate } from '#lib/domain/rates/rating.ts'
import type { SheetJob, SheetPreview } from '#lib/sheet-import/import-sheet.ts'
import { refusedCsv } from '#lib/sheet-import/refused-csv.ts'
import type { RefusedRow } from '#lib/sheet-import/sheet-rates.ts'
import type { SheetReading } from '#lib/sheets/read-sheet.ts'
import { describeCallUse } from '#lib/tariffs/call-use.ts'
import { describeChange, removalsOf } from '#lib/tariffs/tariff-change.ts'
import type { RatesWorld } from './sheet-wish.ts'

type Say = Pick<RatesWorld, 'say'>

/** How the sheet is read. */
export function describeReading(
  { say }: Say,
  { profile, unused, skipped }: SheetReading,
  path: string,
): void {
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

/** What importing it would do. */
export function describePreview(
  { say }: Say,
  { tariff, zone, isWhole }: SheetJob,
  { rates, change, waiting, customers, use, belowCost }: SheetPreview,
): void {
  if (rates.sample.length > 0) say('The first rates, as they are stored:')
  for (const rate of rates.sample) say(`  ${describeRate(rate, zone)}`)
  const way = isWhole ? 'replaces' : 'is merged into'
  say(
    `The sheet of ${rates.lines.rows} rates ${way} tariff ${tariff.id} (${tariff.name}, ${tariff.currency})`,
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

/** Into `<sheet>.rejected.csv`, as the sheet has them; that of an earlier run goes when nothing is refused any more. */
export async function writeRefused(
  { say }: Say,
  path: string,
  refused: readonly RefusedRow[],
): Promise<void> {
  const rejected = `${path}.rejected.csv`
  if (refused.length === 0) return rm(rejected, { force: true })
  await writeFile(rejected, refusedCsv(refused), { mode: 0o600 })
  say(`${refused.length} rows are refused:`)
  for (const { line, reason } of refused.slice(0, SHOWN_REFUSALS)) say(`  line ${line}: ${reason}`)
  say(`  all of them: ${rejected}`)
}
