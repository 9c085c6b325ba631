import type { Command } from 'commander'
import { rateFields } from '#lib/dataset/records/one-rate.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { camelCased, changing, optionOf, withoutMissing } from '../../command-line/record-commands.ts'
import { optionNameOf, setOneRate } from '../../command-line/record-tool.ts'

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
}
