import type { Command } from '@commander-js/extra-typings'
import { EVERY_DAY } from '#lib/base/calendar.ts'
import { dayArgument } from '../../command-line/arguments.ts'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { changeTable, withTableOptions } from '../../command-line/over-table.ts'
import { printLines } from '../../machine/terminal.ts'
import { listArchiveRows, placeAt, runArchiveOnce, showArchivedDay } from './archive-tool.ts'
import { queryArchive } from './query-tool.ts'

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
  archive
    .command('list')
    .description('list archived days')
    .addOption(listFormat())
    .action(({ format }) => printListing(archive.opts(), format, listArchiveRows))
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
    .option('--from <DAY>', 'the first day (YYYY-MM-DD; default: all archived days)', dayArgument)
    .option('--till <DAY>', 'the last day, included', dayArgument)
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
