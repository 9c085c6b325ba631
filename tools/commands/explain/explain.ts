import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { printShown, shownFormat } from '../../command-line/listing.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { explainPrice, priceLines } from './explain-tool.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It shows the rate in each tariff, and the price for the customer, the reseller and the operator. Nothing is stored.',
    )
    .argument('<username>', 'the caller')
    .argument('<number>', 'the dialled number')
    .option(
      '--at <TIME>',
      'the start of the call, as "2026-03-10 12:00:00" in the time zone of the installation (default: now)',
    )
    .option('--seconds <N>', 'the seconds of conversation', wholeNumber, 60)
    .option('--provider <ID>', 'the carrier of the call: also show the margin of the operator', wholeNumber)
    .option('--called <TEXT>', 'what the carrier was called with, if it is not the dialled number')
    .option(
      '--device <NAME>',
      'the device that calls: its digit rules are applied if Apply_Number_Rules is on',
    )
    .addOption(shownFormat())
    .action((username, number, { endpoint, table, data, format, ...call }) =>
      printShown({ endpoint, table, data }, format, async (store) => {
        const price = await explainPrice(store, { username, number, ...call }, new Date())
        return { json: price, lines: priceLines(price) }
      }),
    )

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number.')
}
