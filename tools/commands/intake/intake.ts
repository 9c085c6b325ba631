import type { Command } from '@commander-js/extra-typings'
import { addIntake, revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { listIntakes } from '#lib/settings/intake.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const intake = withTableOptions(command)
    .description(
      'A switch sends its CDRs to POST /intake/<format>. Its name is part of the identity of its calls. docs/switches.md shows the \
configuration of each switch.',
    )
    .addOption(ACTOR)
  actCommand(intake, 'add', addIntake, ['name'])
  actCommand(intake, 'revoke', revokeIntake, ['name'])
  intake
    .command('list')
    .description('list the switches without their secrets')
    .addOption(listFormat())
    .action(listAction(listIntakeRows))
}

export const listIntakeRows = async (store: Store): Promise<Listing> =>
  listingOf(store, 'intake', await listIntakes(store), {
    name: 'text',
    added: ['time', ({ added_at }) => added_at],
    zone: 'text',
    columns: ['text', ({ columns }) => columns?.join(',')],
    map: [
      'text',
      ({ mapping = {} }) =>
        Object.entries(mapping)
          .map((pair) => pair.join('='))
          .join(' '),
    ],
    where: ['text', ({ where }) => where?.join(' ')],
    dates: 'text',
    lengths: 'text',
    codes: 'text',
  })
