import type { Command } from '@commander-js/extra-typings'
import { listFormat, listingText, printListing, printText } from '../../command-line/listing.ts'
import { ACTOR, changeTable, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { printNote } from '../../machine/terminal.ts'
import { chargeNow, listStoredCharges } from './charges-tool.ts'

export function declare(command: Command): void {
  const charges = withTableOptions(command)
    .description(
      'Subscriptions are charged by the hour in AWS and by npm start, if Charges_From is set (docs/balances.md).',
    )
    .addOption(ACTOR)
  charges
    .command('run')
    .description(
      'make the charges that are due now, each once. Exit code 1: some subscriptions could not be charged',
    )
    .option('--customer <NAME>', 'only the subscriptions of this account')
    .option('--dry-run', 'list what would be charged, and write nothing')
    .addOption(listFormat())
    .action(({ format, ...options }) => {
      const { as, ...table } = charges.opts()
      const over = options.dryRun ? overTable : changeTable
      return over(table, (store) => run(() => chargeNow(store, options, { as, now: new Date() }), format))
    })
  charges
    .command('list')
    .description('list the charges of all accounts, or of one, by period')
    .option('--customer <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(({ format, customer }) =>
      printListing(charges.opts(), format, (store) => listStoredCharges(store, customer)),
    )
}

type Started = ReturnType<typeof chargeNow>

/** Prints the charges while they are made, then the subscriptions that were not charged. */
async function run(start: () => Started, format: Parameters<typeof listingText>[1]): Promise<number> {
  const { listing, notes } = await start()
  for await (const text of listingText(listing, format)) printText(text)
  const { uncharged, refused } = notes()
  for (const note of [...uncharged, ...refused]) printNote(note)
  return refused.length > 0 ? 1 : 0
}
