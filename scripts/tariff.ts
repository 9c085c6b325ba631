import type { Command } from '@commander-js/extra-typings'
import { ACTOR, printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import {
  describeTariffs,
  describeVersions,
  diffTariff,
  logOfTariff,
  rollBackTariff,
} from '#lib/local/commands/tariff-tool.ts'

export function declare(command: Command): void {
  const tariff = withTableOptions(command)
    .description(
      'The last ten versions are kept, and those that were in force within the days of the setting Tariff_Versions_Days.',
    )
    .addOption(ACTOR)
  tariff
    .command('list')
    .description('every tariff, with its active version and the one before')
    .action(() => printFromTable(tariff.opts(), describeTariffs))
  tariff
    .command('versions <id>')
    .description('every version that is kept: when it was active, and how many rates it has')
    .action((id) => printFromTable(tariff.opts(), (store) => describeVersions(store, id)))
  tariff
    .command('diff <id>')
    .description('the rates that the active version added, removed and changed')
    .action((id) => printFromTable(tariff.opts(), (store) => diffTariff(store, id)))
  tariff
    .command('log <id>')
    .description('who switched to which version, and when')
    .action((id) => printFromTable(tariff.opts(), (store) => logOfTariff(store, id)))
  tariff
    .command('rollback <id> [version]')
    .description(
      'activates a version (default: the one before the active one, so a second rollback undoes the first)',
    )
    .action((id, version) =>
      printFromTable(tariff.opts(), (store) =>
        rollBackTariff(store, { tariff: id, version }, { as: tariff.opts().as, now: new Date() }),
      ),
    )
}
