import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { type Day, EVERY_DAY, formatIso } from '#lib/base/calendar.ts'
import { countOf } from '#lib/base/text.ts'
import { type ArchiveBucket, archiveBucketOf } from '#lib/calls/archive/bucket.ts'
import { readManifest } from '#lib/calls/archive/manifest.ts'
import { type DayOutcome, runArchive } from '#lib/calls/archive/run.ts'
import { listArchivedDays } from '#lib/calls/archived-day.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { archiveOf } from '#tools/machine/archive-location.ts'
import { lockFile } from '#tools/machine/file-lock.ts'
import { listCommand } from '../../command-line/actions.ts'
import { dayArgument, dayOption } from '../../command-line/arguments.ts'
import { type Listing, listFormat, listingOf, printListing, zoneOf } from '../../command-line/listing.ts'
import { changeTable, withTableOptions } from '../../command-line/over-table.ts'
import { CommandError, printLines } from '../../machine/terminal.ts'
import { type ArchivePlace, queryArchive } from './query-tool.ts'

export function declare(command: Command): void {
  const archive = withTableOptions(command).description(
    'The archive keeps calls that are older than the setting Calls_Keep_Days, as Parquet files in the bucket that ARCHIVE_BUCKET names, \
or beside the database of npm start. docs/archive.md has examples.',
  )
  archive
    .command('run')
    .description('archive closed days, and archived days with late calls again, as the stage does by itself')
    .action(() =>
      changeTable(archive.opts(), async (store, location) =>
        (await printLines(runArchiveOnce(store, location))) ? 1 : 0,
      ),
    )
  listCommand(archive, 'list', 'list archived days', listArchiveRows)
  declareQuery(archive)
  archive
    .command('show')
    .argument('<day>', 'YYYY-MM-DD', dayArgument)
    .description('show the manifest of an archived day: the calls and sums of each customer')
    .addOption(listFormat())
    .action((day, { format }) =>
      printListing(archive.opts(), format, (store, location) => showArchivedDay(store, location, day)),
    )
}

function declareQuery(archive: ReturnType<typeof withTableOptions>): void {
  archive
    .command('query')
    .argument('<sql>', 'a query over calls')
    .option('--from <DAY>', 'the first day (YYYY-MM-DD; default: all archived days)', dayOption)
    .option('--till <DAY>', 'the last day, included', dayOption)
    .description(
      'run SQL over archived calls with DuckDB, which you install once; in AWS, Athena has the same table',
    )
    .addOption(listFormat())
    .action((sql, { from = EVERY_DAY.from, till = EVERY_DAY.till, format }) =>
      printListing(archive.opts(), format, (store, location) =>
        queryArchive(store, placeAt(location), { sql, from, till }),
      ),
    )
}

/** Archives by the setting. Yields a line a day and a last one. Returns whether a day was refused. */
export async function* runArchiveOnce(
  store: Store,
  location: TableLocation,
): AsyncGenerator<string, boolean> {
  const settings = await settingsOf(store)
  if (settings.Calls_Keep_Days === undefined)
    throw new CommandError(
      'Calls stay in the table forever: npx tollgate settings set Calls_Keep_Days 90 --as USERNAME archives older ones',
    )
  const release = await lockFolder(location)
  const count = { days: 0, calls: 0, refused: 0 }
  try {
    const archiving = { store, bucket: bucketAt(location), settings, clock: () => new Date() }
    for await (const outcome of runArchive(archiving)) {
      yield describeOutcome(outcome)
      if (outcome.outcome === 'refused') count.refused += 1
      if ('manifest' in outcome) {
        count.days += 1
        count.calls += outcome.manifest.everyone.calls
      }
    }
  } finally {
    release()
  }
  const { read, write } = store.meter.spent
  const units = `${Math.ceil(read)} read and ${Math.ceil(write)} write units`
  yield `${countOf(count.calls, 'call')} of ${countOf(count.days, 'day')} archived, with ${units}`
  return count.refused > 0
}

function describeOutcome(outcome: DayOutcome): string {
  const { day } = outcome
  if (outcome.outcome === 'refused') return `${day}  not archived: ${outcome.reasons.join('; ')}`
  if (!('manifest' in outcome)) return `${day}  left to another run, which archives it now`
  const { version, everyone } = outcome.manifest
  const rest = outcome.outcome === 'open' ? ', some were changed meanwhile: the next run takes them in' : ''
  return `${day}  ${countOf(everyone.calls, 'call')}, version ${version}${rest}`
}

/** The place of the files for `npx tollgate archive query`. */
export function placeAt(location: TableLocation): ArchivePlace {
  const folder = folderOf(location)
  return folder === undefined ? { bucket: bucketAt(location) } : { folder }
}

/** The folder of an archive outside of S3. */
function folderOf(location: TableLocation): string | undefined {
  const archive = archiveOf(location)
  return archive?.startsWith('/') ? archive : undefined
}

/** A folder takes one writer at a time. S3 refuses a second one by itself. */
export async function lockFolder(location: TableLocation): Promise<() => void> {
  const folder = folderOf(location)
  if (folder === undefined) return () => undefined
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return lockFile(
    join(folder, 'lock'),
    () => 'Another npx tollgate archive run is under way: wait for its end',
  )
}

export const knownBucket = (location: TableLocation): ArchiveBucket | undefined =>
  archiveBucketOf({ ...process.env, ARCHIVE_BUCKET: archiveOf(location) })

/** Throws CommandError if the archive of the table is unknown. */
export function bucketAt(location: TableLocation): ArchiveBucket {
  const bucket = knownBucket(location)
  if (bucket) return bucket
  throw new CommandError(
    `The archive of table ${location.tableName} is unknown: set ARCHIVE_BUCKET to the bucket ArchiveBucketName of the stack`,
  )
}

export const listArchiveRows = async (store: Store): Promise<Listing> =>
  listingOf(store, 'archived day', (await listArchivedDays(store)).values(), {
    ...{ day: 'text', version: 'number', calls: 'number', bytes: 'number', archived_at: 'time' },
  })

export async function showArchivedDay(store: Store, location: TableLocation, day: Day): Promise<Listing> {
  const stored = await readManifest(bucketAt(location), day)
  if (!stored)
    throw new CommandError(`${day} is not archived: npx tollgate archive list names the days that are`)
  const zone = await zoneOf(store)
  const { customers, version, files, archived_at, everyone } = stored.manifest
  return {
    columns: {
      user_id: 'number',
      calls: 'number',
      answered: 'number',
      billsec: 'number',
      user_price: 'number',
      reseller_price: 'number',
      provider_price: 'number',
    },
    rows: Object.entries(customers).map(([id, sums]) => ({ user_id: Number(id), ...sums })),
    summary: () =>
      `${countOf(everyone.calls, 'call')} in ${countOf(files.length, 'file')}, version ${version} of ${formatIso(archived_at, zone)} (${zone})`,
  }
}
