import type { Command } from '@commander-js/extra-typings'
import { secondsOf } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { addIntake, revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { type Intake, listIntakes } from '#lib/settings/intake.ts'
import { describeClock, findSwitchClocks, needsAttention } from '#lib/settings/switch-clock.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
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
  listCommand(intake, 'list', 'list the switches without their secrets', (store) => listIntakeRows(store))
}

export async function listIntakeRows(store: Store, now = new Date()): Promise<Listing> {
  const intakes = await listIntakes(store)
  const names = intakes.map(({ name }) => name)
  const clocks = paired(names, await findSwitchClocks(store, names, secondsOf(now)))
  const clockOf = ({ name }: Intake): string | undefined => {
    const ahead = clocks.get(name)
    if (ahead === undefined) return undefined
    return describeClock(ahead) + (needsAttention(ahead) ? ': let NTP set it' : '')
  }
  return listingOf(store, 'intake', intakes, {
    name: 'text',
    clock: ['text', clockOf],
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
}
