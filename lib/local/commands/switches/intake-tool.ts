import { randomInt } from 'node:crypto'
import { CommandError } from '#lib/local/terminal.ts'
import { isSourceName } from '#lib/mediation/formats/cdr.ts'
import {
  addIntake,
  digestOfSecret,
  findIntake,
  type Intake,
  listIntakes,
  removeIntake,
} from '#lib/store/installation/intake.ts'
import type { Store } from '#lib/store/store.ts'
import { type SwitchWish, switchWritesAs } from './switch-wish.ts'

const SECRET_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SECRET_LENGTH = 32

/** Lets a switch send CDRs over HTTP. Returns the lines to print, with the secret, which is kept nowhere. */
export async function addIntakeNamed(
  store: Store,
  name: string,
  { wish, now }: { readonly wish: SwitchWish; readonly now: Date },
): Promise<string[]> {
  if (!isSourceName(name)) throw new CommandError('A name has at most 40 letters, digits, - and _')
  const secret = Array.from({ length: SECRET_LENGTH }, () =>
    SECRET_CHARACTERS.charAt(randomInt(SECRET_CHARACTERS.length)),
  ).join('')
  const intake = {
    name,
    secret_sha256: digestOfSecret(secret),
    ...switchWritesAs(wish),
    added_at: now.toISOString(),
  }
  if (await addIntake(store, intake))
    return [`${name} ${secret}`, 'The secret is shown once and kept nowhere.']
  throw new CommandError(
    `The intake ${name} exists already: revoke it first, then add it again for a new secret`,
  )
}

/** A line for each, never its secret. */
export async function describeIntakes(store: Store): Promise<string[]> {
  return (await listIntakes(store)).map(describe)
}

const describe = ({ name, added_at, zone, columns, mapping }: Intake): string =>
  [
    `${name}  added ${added_at}`,
    ...(zone === undefined ? [] : [`zone ${zone}`]),
    ...(columns ? [`columns ${columns.join(',')}`] : []),
    ...Object.entries(mapping ?? {}).map(([field, column]) => `${field}=${column}`),
  ].join('  ')

/** Refuses the switch from now on; its calls stay. */
export async function revokeIntake(store: Store, name: string): Promise<string> {
  if (!(await findIntake(store, name)))
    throw new CommandError(`There is no intake ${name}: npm run intake -- list`)
  await removeIntake(store, name)
  return `Revoked ${name}`
}
