import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'
import {
  listTariffDifference,
  listTariffRows,
  listTariffSwitches,
  listTariffVersions,
  rollBackTariff,
} from './tariff-tool.ts'

export function declare(command: Command): void {
  const tariff = withTableOptions(command)
    .description(
      'The last ten versions of a tariff are kept, and all that were active within the days of the setting Tariff_Versions_Days.',
    )
    .addOption(ACTOR)
  declareVerbs(tariff as unknown as PlainCommand, 'tariff', ['add', 'edit'])
  tariff
    .command('list')
    .description('list every tariff with its active and its previous version')
    .addOption(listFormat())
    .action(({ format }) => printListing(tariff.opts(), format, listTariffRows))
  tariff
    .command('versions <id>')
    .description('list the kept versions with their number of rates and the time in which they were active')
    .addOption(listFormat())
    .action((id, { format }) => printListing(tariff.opts(), format, (store) => listTariffVersions(store, id)))
  tariff
    .command('diff <id>')
    .description('list the rates that the active version added, removed and changed')
    .addOption(listFormat())
    .action((id, { format }) =>
      printListing(tariff.opts(), format, (store) => listTariffDifference(store, id)),
    )
  tariff
    .command('log <id>')
    .description('list the switches to other versions')
    .addOption(listFormat())
    .action((id, { format }) => printListing(tariff.opts(), format, (store) => listTariffSwitches(store, id)))
  tariff
    .command('rollback <id> [version]')
    .description(
      'activate a version again (default: the previous one, so that a second rollback undoes the first)',
    )
    .action((id, version) =>
      printChange(tariff.opts(), (store, act) => rollBackTariff(store, id, version, act)),
    )
}
