import type { Command } from '@commander-js/extra-typings'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const books = withTableOptions(command)
    .description('The journal of a seller is closed month by month. docs/accounting.md explains it.')
    .addOption(ACTOR)
  actCommand(books, 'close', closeMonth, ['month'])
}
