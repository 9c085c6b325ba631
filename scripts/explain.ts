import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { explainPrice } from '#lib/local/commands/explain-tool.ts'
import { printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description('It shows the rates that are found in each tariff, and what everybody pays.')
    .argument('<username>', 'who calls')
    .argument('<number>', 'as it is dialled')
    .option('--at <TIME>', '"2026-03-10 12:00:00" in the installation\'s zone (default: now)')
    .option('--seconds <N>', 'the length of the conversation', wholeNumber, 60)
    .option('--provider <ID>', "the carrier: shows the operator's margin", wholeNumber)
    .action((username, number, { endpoint, table, at, seconds, provider }) =>
      printFromTable({ endpoint, table }, (store) =>
        explainPrice(store, { username, number, at, seconds, provider }, new Date()),
      ),
    )

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number.')
}
