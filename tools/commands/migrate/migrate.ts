import { setTimeout } from 'node:timers/promises'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { Command } from '@commander-js/extra-typings'
import { countOf } from '#lib/base/text.ts'
import type { Meter } from '#lib/table/requests/meter.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { TABLE_FORMAT } from '#lib/table/table-format.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { countArgument } from '../../command-line/arguments.ts'
import { COUNT_NAMES, MIGRATION_COUNTS } from '../../command-line/migration-progress.ts'
import { optionsFor, scannedPages } from '../../command-line/open-table.ts'
import { changeByActs, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { printLine } from '../../machine/terminal.ts'
import { countMigration, type Migrated, type Migration, migrateTable } from './migrate-table.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It adds what this release stores beside the rows of earlier ones, such as the entry of a DID in the list of its customer, and the sums of earlier calls to the counters of customers. The API \
and all consumers go on. It reads every item of the table, about a read unit for each 4 KB. Run an interrupted migration again: it \
resumes. Afterwards earlier releases refuse the table. Exit code 1: some rows could not be migrated, and the table keeps its format.',
    )
    .option('--dry-run', 'read the whole table and report the pending changes, but write nothing')
    .option('--units <N>', 'the read and write units to spend per second', countArgument, 500)
    .action(({ dryRun = false, units, ...table }) => {
      const over = dryRun ? overTable : changeByActs
      return over(table, (store, location) => migrate(store, location, { dryRun, units }))
    })

const ITEMS_IN_A_PAGE = 100

const MIGRATED = 0
const PROBLEMS = 1

async function migrate(
  store: Store,
  location: TableLocation,
  { dryRun, units }: { readonly dryRun: boolean; readonly units: number },
): Promise<number> {
  const words = { check: 'looking at', compare: 'comparing', write: 'migrating', noun: 'items' }
  const progress = createProgress(process.stdout, Date.now, words)
  const options = { ...optionsFor(location), meter: store.meter }
  const total = await countItems(location)
  try {
    const migration: Migration = {
      pagesFrom: (start) => scannedPages(options, { start, pageSize: ITEMS_IN_A_PAGE }),
      pace: createPace(store.meter, units, {
        now: Date.now,
        wait: (milliseconds) => setTimeout(milliseconds),
      }),
      onProgress: ({ items }) =>
        progress.show({
          file: location.tableName,
          phase: dryRun ? 'check' : 'write',
          done: items,
          total: Math.max(items, total),
        }),
      onNote: (sentence) => {
        progress.stop()
        printLine(sentence)
      },
    }
    const act = { as: undefined, now: new Date() }
    const migrated = dryRun
      ? await countMigration(store, migration)
      : (await carryOutAs(store, migrateTable(migration), act, {})).answer
    progress.stop()
    printLine(outcomeOf(migrated, dryRun))
    return migrated.problems > 0 ? PROBLEMS : MIGRATED
  } finally {
    progress.stop()
  }
}

/** DynamoDB counts the items of a table every six hours. */
async function countItems(location: TableLocation): Promise<number> {
  const { client, tableName } = optionsFor(location)
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
  return Table?.ItemCount ?? 0
}

function outcomeOf(migrated: Migrated, dryRun: boolean): string {
  const { from, items, problems } = migrated
  if (from === TABLE_FORMAT) return `The table has format ${from} already: nothing to do.`
  const counts = COUNT_NAMES.map((name) => `${MIGRATION_COUNTS[name]}: ${migrated[name]}`).join(', ')
  const done = `${countOf(items, 'item')} read. ${dryRun ? 'To do: ' : ''}${counts}.`
  if (problems > 0) return `${done} ${countOf(problems, 'problem')}: the table keeps format ${from}.`
  return dryRun ? done : `${done} The table now has format ${TABLE_FORMAT}.`
}

/** Time in milliseconds. */
interface PaceClock {
  now(): number
  wait(milliseconds: number): Promise<unknown>
}

/**
 * Returns a function that waits as long as the units take that were spent since its last call. A slow table
 * earns no credit: what was not spent is not spent later.
 */
export function createPace(
  { spent }: Pick<Meter, 'spent'>,
  unitsPerSecond: number,
  clock: PaceClock,
): () => Promise<void> {
  const units = () => spent.read + spent.write
  let paid = units()
  let last = clock.now()
  return async () => {
    const due = last + ((units() - paid) / unitsPerSecond) * 1000
    paid = units()
    if (due > clock.now()) await clock.wait(due - clock.now())
    last = Math.max(due, clock.now())
  }
}
