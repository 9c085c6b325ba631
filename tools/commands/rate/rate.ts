import { type Command, InvalidArgumentError } from 'commander'
import { type Money, ZERO } from '#lib/base/money.ts'
import { rateFields } from '#lib/dataset/records/one-rate.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { amountArgument } from '../../command-line/arguments.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { ACTOR, changeTable, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { camelCased, changing, optionOf, withoutMissing } from '../../command-line/record-commands.ts'
import { optionNameOf, setOneRate } from '../../command-line/record-tool.ts'
import { type MarkupOptions, markUp } from './markup-tool.ts'

/** These are words without an option, and `--from` is when the price begins. */
const GIVEN = ['prefix', 'tariff_rate', 'effective_from']

export function declare(command: Command): void {
  const rate = withTableOptions(command as never)
    .description(
      'The rates of a tariff are replaced as a whole: npx tollgate tariff versions lists what was replaced.',
    )
    .addOption(ACTOR) as unknown as Command
  const fields = rateFields({ settings: readSettings({}) }).filter(({ name }) => !GIVEN.includes(name))
  const set = rate
    .command('set')
    .description('set the price of a minute to a prefix; what is not given is as in its present rate')
    .argument('<tariff>', 'the id or the name')
    .argument('<prefix>', 'the first digits of the number')
    .argument('<price>', 'the price of a minute, or blocked')
    .option('--from <TIME>', 'when it begins: a day, or a day and a time (default: now)')
  for (const field of fields) set.addOption(optionOf(field))
  set.addOption(shownFormat())
  set.action(async (tariff: string, prefix: string, price: string) => {
    const options = set.opts()
    const values = withoutMissing([
      ...fields.map(({ name }) => [name, options[camelCased(optionNameOf(name))]] as const),
      ...([
        ['prefix', prefix],
        ['tariff_rate', price],
        ['effective_from', options['from']],
      ] as const),
    ])
    const act = { as: rate.opts()['as'] as string | undefined, now: new Date() }
    await changing(rate, set, (store) => setOneRate(store, { tariff, values }, act))
  })
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
    const over = options.dryRun ? overTable : changeTable
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
