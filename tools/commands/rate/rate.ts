import { type Command, InvalidArgumentError } from 'commander'
import { type Money, ZERO } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'
import { describeCallers } from '#lib/calls/rating/callers-shown.ts'
import { setRate } from '#lib/dataset/records/set-rate.ts'
import { markUpAct } from '#lib/rates/acts/write-rates.ts'
import { type CostMarkup, type MarkupPlan, planMarkup } from '#lib/rates/markup.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand, carryOutAs } from '../../command-line/act-commands.ts'
import { amountArgument } from '../../command-line/arguments.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import {
  ACTOR,
  changeByActs,
  overTable,
  type TerminalAct,
  withTableOptions,
} from '../../command-line/over-table.ts'
import { agreesTo, printLine } from '../../machine/terminal.ts'

export function declare(command: Command): void {
  const rate = withTableOptions(command as never)
    .description(
      'The rates of a tariff are replaced as a whole: npx tollgate tariff versions lists what was replaced.',
    )
    .addOption(ACTOR) as unknown as Command
  actCommand(rate as never, 'set', setRate, ['id', 'prefix', 'tariff_rate'])
  declareMarkup(rate)
}

function declareMarkup(rate: Command): void {
  const markup = rate
    .command('markup')
    .description('make the prices of a tariff from the costs in another one; what it changes is shown first')
    .argument('<tariff>', 'the id or the name')
    .argument('<cost>', 'the tariff whose rates are the costs')
    .option('--percent <NUMBER>', 'on the rate of a minute and on the fee of a connection', fromZero, ZERO)
    .option('--amount <NUMBER>', 'on the rate of a minute, in the currency of the tariff', fromZero, ZERO)
    .option('--least <NUMBER>', 'the least margin of a minute, in the currency of the tariff', fromZero, ZERO)
    .option('--decimals <N>', 'round up to this many decimals, at most 10', decimalsArgument, 4)
    .option('--prefix <DIGITS>', 'only the rates that begin with these digits', '')
    .option('--replace', 'remove the rates of the tariff that have no cost')
    .option('--allow-removals', 'go on even if that removes more than a tenth of the prefixes')
    .option('--dry-run', 'show what it changes and change nothing')
    .option('--yes', 'change without asking; required without a terminal')
  markup.action((tariff: string, cost: string, options: MarkupOptions) => {
    const act = { as: rate.opts()['as'] as string | undefined, now: new Date() }
    const over = options.dryRun ? overTable : changeByActs
    return over(rate.opts(), (store) => markUp(store, [tariff, cost], options, act))
  })
}

function fromZero(text: string): Money {
  const amount = amountArgument(text)
  if (!amount.startsWith('-')) return amount
  throw new InvalidArgumentError('Use a number from 0.')
}

function decimalsArgument(text: string): number {
  if (/^(\d|10)$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number from 0 to 10.')
}

export interface MarkupOptions extends CostMarkup {
  readonly replace?: boolean
  readonly allowRemovals?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** Shows what a markup changes, and makes a version of it if the operator agrees. Returns the exit code. */
export async function markUp(
  store: Store,
  [sold, costs]: readonly [tariff: string, cost: string],
  options: MarkupOptions,
  act: TerminalAct,
): Promise<number> {
  const [tariff, cost] = [await findTariffNamed(store, sold), await findTariffNamed(store, costs)]
  const markup = { ...options, prefix: digitsOf(options.prefix) }
  const plan = await planMarkup({
    store,
    tariff,
    cost,
    markup,
    isWhole: options.replace ?? false,
    now: act.now,
  })
  for (const line of describePlan(plan)) printLine(line)
  for (const line of await describeCallers(store, plan.lines, act.now)) printLine(line)
  if (options.dryRun) return 0
  const isAllowed = plan.removals === undefined || options.allowRemovals
  if (isAllowed && !options.yes && !(await agreesTo('Make this version?'))) {
    printLine('Nothing was changed: agree at a terminal, or pass --yes')
    return 1
  }
  const permitted = { allowRemovals: options.allowRemovals ? 'yes' : undefined }
  const { answer } = await carryOutAs(store, markUpAct(plan, cost), act, permitted)
  printLine(`Tariff ${tariff.id} is ${answer.isWritten === 'written' ? 'switched' : 'unchanged'}`)
  return 0
}

const describePlan = ({ tariff, change, customers, warnings, removals, rates }: MarkupPlan): string[] => [
  `${countOf(rates, 'rate')} of tariff ${tariff.id} (${tariff.name}) from costs: ${describeChange(change)}`,
  `customers of the tariff: ${customers}`,
  ...warnings,
  ...(removals === undefined ? [] : [removals]),
]
