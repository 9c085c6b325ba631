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
import { type Listing, zoneOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { CommandError, countOf, UsageError } from '../../machine/terminal.ts'
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

export async function listIntakeRows(store: Store): Promise<Listing> {
  return {
    zone: await zoneOf(store),
    columns: {
      name: 'text',
      added: 'time',
      zone: 'text',
      columns: 'text',
      map: 'text',
      where: 'text',
      dates: 'text',
    },
    rows: (await listIntakes(store)).map(({ name, added_at, zone, columns, mapping = {}, where, dates }) => ({
      name,
      added: added_at,
      zone,
      columns: columns?.join(','),
      map: Object.entries(mapping)
        .map(([field, column]) => `${field}=${column}`)
        .join(' '),
      where: where?.join(' '),
      dates,
    })),
    summary: (count) => countOf(count, 'intake'),
  }
}

/** Deletes an intake: the switch is refused from now on, its calls stay. */
export async function removeIntakeNamed(store: Store, name: string): Promise<string> {
  if (!(await findIntake(store, name))) {
    const names = (await listIntakes(store)).map((intake) => intake.name)
    throw unknownName('intake', name, names, 'npx tollgate intake list shows all of them')
  }
  await removeIntake(store, name)
  return `Revoked ${name}`
}
