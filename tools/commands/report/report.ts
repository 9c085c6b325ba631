import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings'
import { EVERY_DAY } from '#lib/base/calendar.ts'
import { isLessThan, type Money, ONE, positiveOf } from '#lib/base/money.ts'
import { type CallSelection, callsReport } from '#lib/calls/report/calls-report.ts'
import { DIMENSIONS, type Dimension, FREE_CALL_REASONS, MOBILE } from '#lib/calls/report/dimensions.ts'
import { MEASURES, USUAL_MEASURES } from '#lib/calls/report/measures.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { DID_STATUSES } from '#lib/devices/did.ts'
import type { Store } from '#lib/table/store.ts'
import { amountArgument, dayOption, monthArgument, pathArgument } from '../../command-line/arguments.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { writeOfAccount } from '../invoices/documents-tool.ts'
import { ageingReport, statementReport } from './ageing.ts'
import { balancesReport } from './balances.ts'
import { didsReport } from './dids-report.ts'
import { paymentsReport } from './payments-report.ts'
import { movedPricesReport, ratedNumberReport } from './priced-again.ts'
import { addOutput, reportAction } from './print-report.ts'
import { receivablesReport } from './receivables.ts'
import { reconcileReport } from './reconcile.ts'
import { customerIds, daysOf, inLabelForm, readDidFilters, readSelection } from './selection.ts'
import { TOTALS, totalsOf } from './totals.ts'

export function declare(command: Command): void {
  const report = withTableOptions(command).description(
    'A report reads the table and changes nothing. docs/reports.md has an example of each.',
  )
  declareCalls(report)
  declareFreeCalls(report)
  declareDids(report)
  declareBalances(report)
  declareReceivables(report)
  declareAgeing(report)
  declareStatement(report)
  declareReconcile(report)
  declarePayments(report)
  declareTotals(report)
  declareRatedNumber(report)
  declareMovedPrices(report)
  for (const one of report.commands) addOutput(one)
}

const declareCalls = (report: Command) =>
  withFilters(withRows(report.command('calls')))
    .description(
      'sum up calls. Answered calls have the disposition ANSWERED. asr is their percentage, acd their mean length in seconds. Revenue and \
cost are those of admin, as in quickstats_get, in the default currency. Country and destination are those of the directory (destinations.csv)',
    )
    .addOption(
      new Option('--mobile <PATTERN>', 'the regular expression of the names of mobile destinations')
        .argParser(patternIn)
        .default(MOBILE, 'the word mobile'),
    )
    .action(
      reportAction(
        async (store, { by, columns: measures, from, till, month, mobile, group: groups, ...words }) =>
          callsReport(store, {
            by,
            measures,
            mobile,
            groups,
            ...(await readSelection(store, words)),
            days: await daysOf(store, new Date(), { from, till, month }),
          }),
      ),
    )

const declareFreeCalls = (report: Command) =>
  withDayOptions(report.command('free-calls'))
    .description(
      'sum up the calls with billed seconds that cost their customers nothing, by reason. docs/reports.md tells how a caller could \
make such calls on purpose, and what stops it',
    )
    .addOption(
      new Option('--by <LIST>', `the rows of a reason, with commas between them: ${DIMENSIONS.join(', ')}`)
        .argParser(listOf(DIMENSIONS))
        .default(['customer' as const], 'customer'),
    )
    .option('--customer <USERNAME...>', 'only calls of these customers')
    .option('--provider <NAME...>', 'only calls through these providers, by name or id')
    .action(
      reportAction(async (store, { by, from, till, month, ...words }) =>
        freeCallsReport(store, {
          by,
          ...(await readSelection(store, words)),
          days: await daysOf(store, new Date(), { from, till, month }),
        }),
      ),
    )

const declareDids = (report: Command) =>
  withDayOptions(report.command('dids'))
    .description(
      'list DIDs with their provider, customer and device, and the number, the seconds and the last one of the calls to them and from them',
    )
    .option('--provider <NAME...>', 'only DIDs of these providers, by name or id')
    .addOption(new Option('--status <WORD...>', 'only DIDs with this status').choices(DID_STATUSES))
    .option('--customer <USERNAME...>', 'only DIDs of these customers')
    .option('--device <NAME...>', 'only DIDs of these devices, by name or id')
    .option('--disposition <WORD...>', 'only calls with this result, such as answered')
    .action(
      reportAction(async (store, { from, till, month, disposition, ...words }) =>
        didsReport(store, {
          days: await daysOf(store, new Date(), { from, till, month }),
          filters: await readDidFilters(store, words),
          dispositions: disposition && new Set(disposition.map(inLabelForm)),
        }),
      ),
    )

const declareBalances = (report: Command) =>
  report
    .command('balances')
    .description(
      'list the balances of accounts, in the default currency: opening, payments, charges of calls, adjustments, and what the credit \
leaves to spend. docs/balances.md explains them',
    )
    .option('--below <AMOUNT>', 'only balances below this amount', amountArgument)
    .option('--customer <USERNAME...>', 'only these accounts')
    .action(
      reportAction(async (store, { below, customer }) =>
        balancesReport(store, { below, accounts: await customerIds(store, customer) }),
      ),
    )

const declareReceivables = (report: Command) =>
  report
    .command('receivables')
    .description(
      'sum up invoices, credit notes and completed payments by customer and currency, with VAT, and what is open of the invoices. The \
balance, which is net, counts calls and fees that are not invoiced yet, too: report balances',
    )
    .option('--from <DAY>', 'the first day of issue or payment (YYYY-MM-DD, default: all)', dayOption)
    .option('--till <DAY>', 'the last day, included', dayOption)
    .option('--customer <USERNAME...>', 'only these customers')
    .action(
      reportAction(async (store, { from, till, customer }) =>
        receivablesReport(store, { from, till, customers: await customerIds(store, customer) }),
      ),
    )

const declareAgeing = (report: Command) =>
  report
    .command('ageing')
    .description(
      'list what each customer owes, with VAT, by days after the due day, and the sum of each currency, which is a row without a \
customer. A past day has the documents and the payments of then',
    )
    .option('--till <DAY>', 'the day (YYYY-MM-DD, default: today)', dayOption)
    .option('--customer <USERNAME...>', 'only these customers')
    .option('--pdf <FILE>', 'write it as a PDF into a new file, too', pathArgument)
    .action(
      reportAction(async (store, { till, customer, pdf }) =>
        ageingReport(store, { till, pdf, now: new Date(), customers: await customerIds(store, customer) }),
      ),
    )

const declareStatement = (report: Command) =>
  withDayOptions(report.command('statement'))
    .description(
      'list what a customer owed before the first day, each invoice, credit note, payment, refund and write-off with the sum after it, \
and what is owed on the last day, with VAT',
    )
    .requiredOption('--customer <USERNAME>', 'the customer')
    .option('--pdf <FILE>', 'write it as a PDF into a new file, for the customer', pathArgument)
    .option('--html <FILE>', 'write it as a page to print into a new file', pathArgument)
    .action(
      reportAction(async (store, { from, till, month, customer, pdf, html }) => {
        const now = new Date()
        const days = await daysOf(store, now, { from, till, month })
        await writeOfAccount(store, { customer, pdf, html }, now, days)
        return statementReport(store, customer, days)
      }),
    )

const declareReconcile = (report: Command) =>
  report
    .command('reconcile')
    .description(
      'add up the balance of each account from its documents and from what no document has billed. The difference is 0, or `where` names \
the figures that differ. docs/accounting.md explains the columns',
    )
    .option('--customer <USERNAME...>', 'only these accounts')
    .action(
      reportAction(async (store, { customer }) => reconcileReport(store, await customerIds(store, customer))),
    )

const declarePayments = (report: Command) =>
  report
    .command('payments')
    .description('list payments by customer and date')
    .option(
      '--repeated',
      'only payments that equal another one of the customer, in amount and currency, within a day',
    )
    .option('--from <DAY>', 'the first day of payment (YYYY-MM-DD, default: all)', dayOption)
    .option('--till <DAY>', 'the last day, included', dayOption)
    .option('--customer <USERNAME...>', 'only these customers')
    .action(
      reportAction(async (store, { from, till, repeated = false, customer }) =>
        paymentsReport(store, { from, till, repeated, customers: await customerIds(store, customer) }),
      ),
    )

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
    .option('--from <DAY>', 'the first day of calls (YYYY-MM-DD, default: all)', dayOption)
    .option('--till <DAY>', 'the last day of calls, included', dayOption)
    .action(({ of: kind, from, till, ...output }, totals) => {
      const isOfCalls = kind === 'calls' || kind === 'incoming'
      if (!isOfCalls && (from ?? till) !== undefined)
        throw new InvalidArgumentError(`--from and --till limit calls, not ${kind}`)
      const days = { from: from ?? EVERY_DAY.from, till: till ?? EVERY_DAY.till }
      return reportAction((store) => totalsOf(store, kind, days))(output, totals)
    })

const declareRatedNumber = (report: Command) =>
  withDayOptions(report.command('rated-number'))
    .description(
      'list the answered calls that the other value of Rated_Number would rate otherwise, with both prices, by the rates of their time. A \
reason in place of a number: the call would be suspended. Calls that version 1.0 stored do not tell what the carrier was called with',
    )
    .action(
      reportAction(async (store, days) => ratedNumberReport(store, await daysOf(store, new Date(), days))),
    )

const declareMovedPrices = (report: Command) =>
  report
    .command('moved-prices')
    .description(
      'list the answered calls whose customer pays more than a factor of what the tariffs charged when a day began, or less than its \
inverse: a tariff that is too dear or too cheap. What that day had no price for is left out',
    )
    .requiredOption('--since <DAY>', 'the day whose tariff versions are compared with', dayOption)
    .option('--factor <NUMBER>', 'the factor that a price may move by, from 1', factorArgument, '2')
    .option('--from <DAY>', 'the first day of the calls (default: that of --since)', dayOption)
    .option('--till <DAY>', LAST_DAY_WORDS, dayOption)
    .action(
      reportAction(async (store, { since, factor, from = since, till }) =>
        movedPricesReport(store, await daysOf(store, new Date(), { from, till }), since, factor),
      ),
    )

/** Sums up calls with billed seconds that cost their customers nothing, by reason, then further. */
export function freeCallsReport(
  store: Store,
  { by, filters, ...selection }: CallSelection & { readonly by: readonly Dimension[] },
): Promise<Report> {
  return callsReport(store, {
    ...selection,
    by: ['free_reason', ...by.filter((dimension) => dimension !== 'free_reason')],
    filters: new Map([['free_reason', new Set<string>(FREE_CALL_REASONS)], ...filters]),
    measures: ['attempts', 'billsec', 'minutes', 'cost'],
    groups: undefined,
  })
}

const LAST_DAY_WORDS = 'the last day, included (default: today)'

/** The options that select the days of a report. */
const withDayOptions = <O extends OptionValues>(command: Command<[], O>) =>
  command
    .option(
      '--from <DAY>',
      'the first day (YYYY-MM-DD, today or yesterday; default: the first of the month of the last day)',
      dayOption,
    )
    .option('--till <DAY>', LAST_DAY_WORDS, dayOption)
    .addOption(
      new Option('--month <MONTH>', 'the days of a month (YYYY-MM)')
        .argParser(monthArgument)
        .conflicts(['from', 'till']),
    )

const withRows = (command: Command) =>
  withDayOptions(command)
    .addOption(
      new Option('--by <LIST>', `the rows, with commas between them: ${DIMENSIONS.join(', ')}`)
        .argParser(listOf(DIMENSIONS))
        .default([DIMENSIONS[0]], DIMENSIONS[0]),
    )
    .addOption(
      new Option('--columns <LIST>', `the figures, of ${MEASURES.join(', ')}`)
        .argParser(listOf(MEASURES))
        .default(USUAL_MEASURES, 'the first eleven'),
    )

/** The options that select calls. */
const withFilters = <O extends OptionValues>(command: Command<[], O>) =>
  command
    .option('--customer <USERNAME...>', 'only calls of these customers')
    .option('--provider <NAME...>', 'only calls through these providers, by name or id')
    .option('--device <NAME...>', 'only calls of these devices, by name or id')
    .option(
      '--group <NAME=ID,...>',
      'names a group of devices, for --by devicegroup; repeat it. Calls of other devices are left out',
      groupIn,
    )
    .option('--country <NAME...>', 'only calls to these countries')
    .option('--destination <NAME...>', 'only calls to these destinations')
    .addOption(new Option('--line <KIND...>', 'only calls to these lines').choices(['mobile', 'fixed']))
    .addOption(
      new Option('--direction <KIND...>', 'only these calls').choices(['outgoing', 'incoming', 'internal']),
    )
    .option('--disposition <WORD...>', 'only calls with this result, such as answered or no_answer')
    .option('--hangupcause <CAUSE...>', 'only calls with these hangup causes')

function factorArgument(text: string): Money {
  const factor = positiveOf(text)
  if (factor !== undefined && !isLessThan(factor, ONE)) return factor
  throw new InvalidArgumentError('It takes a number from 1.')
}

/** Reads words with commas between them. */
const listOf =
  <W extends string>(known: readonly W[]) =>
  (text: string): W[] => {
    const words = [...new Set(text.split(',').map((word) => word.trim().toLowerCase()))]
    const unknown = words.find((word) => !known.some((one) => one === word))
    if (unknown === undefined) return words as W[]
    throw new InvalidArgumentError(`There is no ${JSON.stringify(unknown)}: use ${known.join(', ')}.`)
  }

/** Adds `EN=181,1081` to the groups of devices. */
function groupIn(text: string, groups: ReadonlyMap<number, string> = new Map()): ReadonlyMap<number, string> {
  const [, name = '', ids = ''] = /^([^=]+)=(\d{1,15}(?:,\d{1,15})*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('Use a name and ids of devices, such as EN=181,1081.')
  return new Map([...groups, ...ids.split(',').map((id) => [Number(id), name] as const)])
}

function patternIn(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new InvalidArgumentError('Use a regular expression, such as "mobile|cellular".')
  }
}
