import type { Command } from '@commander-js/extra-typings'
import { printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { addIntakeNamed, describeIntakes, revokeIntake } from '#lib/local/commands/switches/intake-tool.ts'
import { withSwitchOptions } from '#lib/local/commands/switches/switch-wish.ts'

export function declare(command: Command): void {
  const intake = withTableOptions(command).description(
    'They send CDRs to POST /intake/<format>. The name is that of the switch, part of the identity of its calls. docs/switches.md \
shows the configuration of each switch.',
  )
  withSwitchOptions(intake.command('add <name>'))
    .description(
      'adds a switch, and prints its secret once: name and secret are for HTTP basic authentication',
    )
    .action((name, wish) =>
      printFromTable(intake.opts(), (store) => addIntakeNamed(store, name, { wish, now: new Date() })),
    )
  intake
    .command('list')
    .description('a line for each switch, without its secret')
    .action(() => printFromTable(intake.opts(), describeIntakes))
  intake
    .command('revoke <name>')
    .description('refuses the switch from now on; its calls stay')
    .action((name) => printFromTable(intake.opts(), (store) => revokeIntake(store, name)))
}
