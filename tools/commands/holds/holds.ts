import type { Command } from '@commander-js/extra-typings'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { printChange, withTableOptions } from '../../command-line/over-table.ts'
import { listHolds, releaseHolds } from './holds-tool.ts'

export function declare(command: Command): void {
  const holds = withTableOptions(command).description(
    'A hold is the money that a call in progress may still cost (docs/call-control.md).',
  )
  holds
    .command('list')
    .description('list the holds of all accounts, or of one')
    .option('--account <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(({ format, account }) =>
      printListing(holds.opts(), format, (store) => listHolds(store, account, new Date())),
    )
  holds
    .command('release')
    .argument('<account>', 'the username or id')
    .argument('[holds...]', 'the holds to release, as list names them')
    .description('release holds of calls that are over, such as those whose CDR never came')
    .option('--expired', 'those whose time is over')
    .option('--recount', 'release none, and write the sum and the number of the holds again')
    .action((account, names, options) =>
      printChange(holds.opts(), (store) =>
        releaseHolds(store, account, names, { ...options, now: new Date() }),
      ),
    )
}
