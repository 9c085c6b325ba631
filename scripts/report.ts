import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { dayArgument } from '#lib/local/commands/arguments.ts'
import { listFormat, printListing } from '#lib/local/commands/listing.ts'
import { withTableOptions } from '#lib/local/commands/over-table.ts'
import { countOf } from '#lib/local/terminal.ts'
import { EVERY_DAY, TOTALS, totalsOf } from '#lib/report/totals.ts'

export function declare(command: Command): void {
  const report = withTableOptions(command).description('A report reads the table and changes nothing.')
  declareTotals(report)
}

const declareTotals = (report: Command) =>
  report
    .command('totals')
    .description(
      'print the sums that show whether a move from another installation is complete. Rows ascend by their first columns: days and \
currencies as text, ids as numbers. Amounts have all their decimals and no trailing zeros. docs/moving-in.md has the SQL that prints \
the same for the old database, so that diff compares both',
    )
    .addOption(
      new Option(
        '--of <KIND>',
        'calls that customers made, and incoming ones that they received: by day and customer; rates: by tariff; payments and \
invoices: by currency; objects: the number of users, devices and DIDs',
      )
        .choices(TOTALS)
        .makeOptionMandatory(),
    )
    .option('--from <DAY>', 'the first day of calls (YYYY-MM-DD, default: all)', dayArgument)
    .option('--till <DAY>', 'the last day of calls, included', dayArgument)
    .addOption(listFormat())
    .action(({ of: kind, from, till, format }) => {
      const isOfCalls = kind === 'calls' || kind === 'incoming'
      if (!isOfCalls && (from ?? till) !== undefined)
        throw new InvalidArgumentError(`--from and --till limit calls, not ${kind}`)
      const days = { from: from ?? EVERY_DAY.from, till: till ?? EVERY_DAY.till }
      return printListing(report.opts(), format, (store) => ({
        ...totalsOf(store, kind, days),
        summary: (rows) => countOf(rows, 'row'),
      }))
    })
