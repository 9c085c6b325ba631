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
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { CommandError, UsageError } from '../../machine/terminal.ts'
import { type SwitchOptions, switchWritesAs } from '../ingest/switch-options.ts'

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
