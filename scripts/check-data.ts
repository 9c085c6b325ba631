import type { Command } from '@commander-js/extra-typings'
import { checkData } from '#lib/local/commands/data-check.ts'
import { overTable, withTableOptions } from '#lib/local/commands/over-table.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It prints a sentence for each damage. Every item that another one needs is there and agrees with it, every name has one \
owner, every counter equals what it counts. Nothing is changed. It reads every item, and the items that these point at: \
about two read units for each 4 KB. A counter may seem wrong while it is written to: run the command again. Exit code 1: \
something is wrong.',
    )
    .action((options) => overTable(options, checkData))
