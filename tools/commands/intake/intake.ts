import type { Command } from '@commander-js/extra-typings'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { printChange, withTableOptions } from '../../command-line/over-table.ts'
import { secretFromInput } from '../../machine/terminal.ts'
import { withSwitchOptions } from '../ingest/switch-options.ts'
import { addIntakeNamed, listIntakeRows, removeIntakeNamed } from './intake-tool.ts'

export function declare(command: Command): void {
  const intake = withTableOptions(command).description(
    'A switch sends its CDRs to POST /intake/<format>. Its name is part of the identity of its calls. docs/switches.md shows the \
configuration of each switch.',
  )
  withSwitchOptions(intake.command('add <name>'))
    .description('add a switch and print its secret once; name and secret are for HTTP basic authentication')
    .option(
      '--secret-stdin',
      'keep the secret that the switch has at another installation: read it from standard input',
    )
    .action((name, { secretStdin, ...options }) =>
      printChange(intake.opts(), async (store) => {
        const secret = secretStdin ? await secretFromInput() : undefined
        return addIntakeNamed(store, name, { ...options, secret }, new Date())
      }),
    )
  intake
    .command('list')
    .description('list the switches without their secrets')
    .addOption(listFormat())
    .action(({ format }) => printListing(intake.opts(), format, listIntakeRows))
  intake
    .command('revoke <name>')
    .description('refuse a switch from now on; its calls stay')
    .action((name) => printChange(intake.opts(), (store) => removeIntakeNamed(store, name)))
}
