import type { Command } from '@commander-js/extra-typings'
import { hexDigest } from '#lib/base/digest.ts'
import { isSourceName } from '#lib/cdrs/formats/cdr.ts'
import {
  addIntake,
  findIntake,
  isIntakeSecret,
  listIntakes,
  newIntakeSecret,
  removeIntake,
} from '#lib/settings/intake.ts'
import type { Store } from '#lib/table/store.ts'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { CommandError, secretFromInput, UsageError } from '../../machine/terminal.ts'
import { type SwitchOptions, switchWritesAs, withSwitchOptions } from '../ingest/switch-options.ts'

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
    .action(
      changeAction(async (store, { now }, name, { secretStdin, ...options }) => {
        const secret = secretStdin ? await secretFromInput() : undefined
        return addIntakeNamed(store, name, { ...options, secret }, now)
      }),
    )
  intake
    .command('list')
    .description('list the switches without their secrets')
    .addOption(listFormat())
    .action(listAction(listIntakeRows))
  intake
    .command('revoke <name>')
    .description('refuse a switch from now on; its calls stay')
    .action(changeAction((store, _, name) => removeIntakeNamed(store, name)))
}

/**
 * Adds an intake, so that a switch can send CDRs by HTTP. Returns the lines to print, with a new secret. With
 * the secret of another installation, which no export has, the switch changes its address and nothing else.
 */
export async function addIntakeNamed(
  store: Store,
  name: string,
  { secret: kept, ...options }: SwitchOptions & { readonly secret?: string | undefined },
  now: Date,
): Promise<string[]> {
  if (!isSourceName(name))
    throw new UsageError(`"${name}" is not a name of a switch: use at most 40 letters, digits, - and _`)
  if (kept !== undefined && !isIntakeSecret(kept))
    throw new UsageError('The secret of an intake is 32 letters and digits')
  const secret = kept ?? newIntakeSecret()
  const intake = {
    name,
    secret_sha256: hexDigest(secret),
    ...switchWritesAs(options),
    added_at: now.toISOString(),
  }
  if (await addIntake(store, intake))
    return kept
      ? [`${name} keeps its secret`]
      : [`${name} ${secret}`, 'Copy the secret now: it is not stored and not shown again.']
  throw new CommandError(`The intake ${name} exists: revoke it, then add it again for a new secret`)
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

/** Deletes an intake: the switch is refused from now on, its calls stay. */
export async function removeIntakeNamed(store: Store, name: string): Promise<string> {
  if (!(await findIntake(store, name))) {
    const names = (await listIntakes(store)).map((intake) => intake.name)
    throw unknownName('intake', name, names, 'npx tollgate intake list shows all of them')
  }
  await removeIntake(store, name)
  return `Revoked ${name}`
}
