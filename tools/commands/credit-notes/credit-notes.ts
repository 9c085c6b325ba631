import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { amountArgument } from '../../command-line/arguments.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { ACTOR, changeTable, withTableOptions } from '../../command-line/over-table.ts'
import { printLine } from '../../machine/terminal.ts'
import { addCreditNote } from './credit-tool.ts'

function rowsArgument(text: string): readonly number[] {
  if (/^[1-9]\d{0,8}(,[1-9]\d{0,8})*$/.test(text)) return text.split(',').map(Number)
  throw new InvalidArgumentError('Use the numbers of rows, with commas between them: 1,3.')
}

export function declare(command: Command): void {
  const notes = withTableOptions(command)
    .description('An issued invoice never changes: a credit note corrects it. docs/invoices.md explains it.')
    .addOption(ACTOR)
  notes
    .command('add')
    .description(
      'credit an invoice: all of it, which opens its month again, some of its rows, or an amount without VAT',
    )
    .requiredOption('--invoice <NUMBER>', 'the invoice')
    .option('--customer <ACCOUNT>', 'its customer, if several sellers have given this number')
    .option('--rows <ROWS>', 'the numbers of rows, as invoices show prints them (1,3)', rowsArgument)
    .option('--amount <AMOUNT>', 'an amount without VAT, for goodwill', amountArgument)
    .requiredOption('--why <TEXT>', 'the reason, which the customer reads')
    .option('--again', 'credit a part although an equal one was credited within a day')
    .option('--dry-run', 'only show what would be credited')
    .addOption(shownFormat())
    .action(({ format, ...options }) =>
      changeTable(notes.opts(), async (store) => {
        const act = { as: notes.opts().as, now: new Date() }
        const { lines, json } = await addCreditNote(store, options, act)
        for (const line of format === 'json' ? [JSON.stringify(json, null, 2)] : lines) printLine(line)
        return 0
      }),
    )
}
