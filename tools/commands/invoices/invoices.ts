import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { isMonth, type Month } from '#lib/invoicing/month.ts'
import { listFormat, printListing, printShown, shownFormat } from '../../command-line/listing.ts'
import { ACTOR, changeTable, noteDone, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { countOf, printLine } from '../../machine/terminal.ts'
import {
  billWanted,
  documentScopeOf,
  type MonthOptions,
  monthJson,
  monthLines,
  monthSummary,
} from './month-tool.ts'
import { invoicesListing, showInvoice } from './show-tool.ts'
import { unbilledListing } from './unbilled-tool.ts'

function monthArgument(text: string): Month {
  if (isMonth(text)) return text
  throw new InvalidArgumentError('Use a month: YYYY-MM.')
}

const SELLER = () =>
  new Option('--seller <ACCOUNT>', 'the reseller or partner whose customers are billed (default: admin)')

type Table = Parameters<typeof overTable>[0]

export function declare(command: Command): void {
  const invoices = withTableOptions(command)
    .description(
      'A month bills calls, charges and late calls of each customer, once. docs/invoices.md explains it.',
    )
    .addOption(ACTOR)
  for (const what of ['preview', 'issue'] as const)
    invoices
      .command(what)
      .description(
        what === 'preview'
          ? 'show what a month would bill, and what keeps customers from being billed'
          : 'issue the documents of a month; those that were issued before stay',
      )
      .requiredOption('--month <MONTH>', 'a month that is over (YYYY-MM)', monthArgument)
      .option('--customer <ACCOUNT>', 'the only customer')
      .addOption(SELLER())
      .option('--despite-suspense', 'bill customers although calls of the month are in suspense')
      .option('--dry-run', 'only show what would be billed')
      .addOption(shownFormat())
      .action(({ format, dryRun, ...options }) =>
        printMonth(invoices.opts(), options, format, dryRun ? 'preview' : what),
      )
  declareLists(invoices)
}

type InvoicesCommand = ReturnType<typeof withTableOptions>

function declareLists(invoices: InvoicesCommand): void {
  invoices
    .command('list')
    .description('list invoices by day of issue, with what is open')
    .option('--customer <ACCOUNT>', 'the only customer')
    .addOption(SELLER())
    .addOption(listFormat())
    .action(({ format, ...options }) =>
      printListing(invoices.opts(), format, async (store) =>
        invoicesListing(store, await documentScopeOf(store, options)),
      ),
    )
  invoices
    .command('unbilled')
    .description(
      'list what no invoice bills: changes older than Late_Months, and subscriptions that nothing charges',
    )
    .option('--customer <ACCOUNT>', 'the only customer')
    .addOption(SELLER())
    .addOption(listFormat())
    .action(({ format, ...options }) =>
      printListing(invoices.opts(), format, (store) => unbilledListing(store, options, new Date())),
    )
  invoices
    .command('show <number>')
    .description('show an invoice with its rows')
    .option('--customer <ACCOUNT>', 'its customer, if several sellers have given this number')
    .addOption(shownFormat())
    .action((number, { format, customer }) =>
      printShown(invoices.opts(), format, (store) => showInvoice(store, number, customer)),
    )
}

const WORDS = { check: 'billing', compare: 'billing', write: 'billing', noun: 'customers' }

/** Prints what became of each customer. Exits with 1 if one was refused. */
function printMonth(
  table: Table & { readonly as?: string | undefined },
  options: MonthOptions,
  format: 'text' | 'json',
  what: 'preview' | 'issue',
): Promise<void> {
  const open = what === 'issue' ? changeTable : overTable
  return open(table, async (store) => {
    const progress = createProgress(process.stderr, Date.now, WORDS)
    const act = { as: table.as, now: new Date(), what }
    const billed = await billWanted(store, options, act, (done, total) => {
      if (what === 'issue') noteDone(`${countOf(done, 'customer')} billed`)
      progress.show({ file: options.month, phase: 'write', done, total })
    }).finally(() => progress.stop())
    if (format === 'json') printLine(JSON.stringify(billed.map(monthJson), null, 2))
    else
      for (const line of [
        ...billed.flatMap((customer) => monthLines(customer, billed.length === 1)),
        monthSummary(billed),
      ])
        printLine(line)
    return billed.some(({ outcome }) => outcome === 'refused') ? 1 : 0
  })
}
