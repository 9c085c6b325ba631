import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Caller } from '#lib/accounts/account.ts'
import { ALL_METHODS, isKeyName, type NamedKey } from '#lib/accounts/named-key.ts'
import {
  changeNamedKey,
  findNamedKey,
  type HeldKey,
  listNamedKeys,
  TooManyKeys,
} from '#lib/accounts/named-key-stored.ts'
import { formatDateTime, HOUR_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import { isAddressList } from '#lib/base/trusted-addresses.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf, zoneOf } from '../../command-line/listing.ts'
import { findAccountNamed, unknownName } from '../../command-line/named.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'
import { CommandError, terminalUser, UsageError } from '../../machine/terminal.ts'

const DESCRIPTION =
  'A key signs for one account, for some methods, from some addresses. Changes take effect within a second and are logged: \
npx tollgate settings log. docs/keys.md describes both signatures.'

const EXAMPLE = '\nnpx tollgate key add crm --as bob --methods devices_get,rate_get --from 10.0.0.0/8'

export function declare(command: Command): void {
  const key = withTableOptions(command).description(DESCRIPTION)
  key
    .command('add <name>')
    .description('add a key and print its secret once')
    .requiredOption('--as <USERNAME>', 'the account that the key signs for: the parameter u of its requests')
    .requiredOption(
      '--methods <METHODS>',
      'the methods that it signs, with commas between them; all: every one',
    )
    .option(
      '--from <ADDRESSES>',
      'the IP addresses and ranges of its clients, with commas between them (default: any)',
    )
    .option('--v2-only', 'refuse the SHA-1 hash: the key takes the v2 signature only')
    .option('--sign-all', 'refuse the hash of payment_create that leaves the transaction open')
    .addHelpText('after', EXAMPLE)
    .action(changeAction((store, { now }, name, wanted) => addKey(store, { name, ...wanted }, now)))
  key
    .command('list')
    .description('list the keys without their secrets')
    .addOption(listFormat())
    .action(listAction((store) => listKeyRows(store, new Date())))
  key
    .command('rotate <name>')
    .description('give a key another secret and print it once; the previous one signs for some more hours')
    .option('--overlap <HOURS>', 'how long the previous secret signs; 0 ends it at once', overlapHours, 24)
    .action(changeAction((store, { now }, name, { overlap }) => rotateKey(store, name, overlap, now)))
  key
    .command('revoke <name>')
    .description('refuse a key from the next second on')
    .action(changeAction((store, { now }, name) => revokeKey(store, name, now)))
}

const MAX_OVERLAP_HOURS = 720

function overlapHours(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_OVERLAP_HOURS) return Number(text)
  throw new InvalidArgumentError(`Use 0 to ${MAX_OVERLAP_HOURS} hours.`)
}

const SECRET_BYTES = 24

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

const SHOWN_ONCE = 'Copy the secret now: it is not shown again.'

interface KeyOptions {
  readonly name: string
  readonly as: string
  readonly methods: string
  readonly from?: string | undefined
  readonly v2Only?: true | undefined
  readonly signAll?: true | undefined
}

/** Adds a key to an account. Returns the lines to print, with the secret. */
export async function addKey(store: Store, wanted: KeyOptions, now: Date): Promise<string[]> {
  const { name, as, from = '', v2Only = false, signAll } = wanted
  if (!isKeyName(name))
    throw new UsageError(`"${name}" is not a name of a key: use at most 40 letters, digits, - and _`)
  if (!isAddressList(from) || from.length > MAX_TEXT_LENGTH)
    throw new UsageError(
      `--from ${from}: use addresses and ranges such as 10.0.0.0/8, with commas between them`,
    )
  const methods = await methodsNamed(wanted.methods)
  const caller = await findAccountNamed(store, as)
  const { id, blocked, username } = caller
  if (await findNamedKey(store, name)) throw nameTaken(name)
  const secret = newSecret()
  const limits = { methods, from, v2_only: v2Only, ...(signAll && { sign_all: true }) }
  const key: NamedKey = { name, secret, ...limits, added_at: now.toISOString() }
  const to = (stored: NamedKey | undefined) => {
    if (stored) throw nameTaken(name)
    return key
  }
  const logEntry = logged(caller, `got the key ${name}`, now)
  await changeNamedKey(store, { accountId: id, name, to, logEntry }).catch(refuse(name))
  return [
    `${name} ${secret}`,
    SHOWN_ONCE,
    ...(blocked ? [`warning: the account ${username} is blocked, so its keys are refused`] : []),
  ]
}

const nameTaken = (name: string): CommandError =>
  new CommandError(`The key ${name} exists: rotate it for a new secret, or revoke it and add it again`)

/** The methods of names or aliases. Throws UsageError for an unknown one or one without a caller. */
async function methodsNamed(list: string): Promise<string[]> {
  const names = list.split(',').map((name) => name.trim())
  if (names.includes(ALL_METHODS)) return [ALL_METHODS]
  const files = await loadFunctionFiles()
  const signed = files.flatMap(({ method }) => (typeof method.callers === 'string' ? [] : [method]))
  const methods = names.map((name) => {
    const method = signed.find((one) => one.name === name || one.aliases?.includes(name))
    if (method) return method.name
    const known = signed.map((one) => one.name)
    throw unknownName('method with a caller', name, known, 'docs/api.md has all of them')
  })
  return [...new Set(methods)].sort()
}

export const listKeyRows = async (store: Store, now: Date): Promise<Listing> =>
  listingOf(store, 'key', await listNamedKeys(store), {
    name: ['text', ({ key }) => key.name],
    account: ['text', ({ caller }) => caller.username],
    methods: ['text', ({ key }) => key.methods.join(',')],
    from: ['text', ({ key }) => key.from || 'any'],
    signature: ['text', ({ key }) => signatureOf(key)],
    added: ['time', ({ key }) => key.added_at],
    previous_until: [
      'time',
      ({ key: { previous } }) => (previous && previous.until > secondsOf(now) ? previous.until : undefined),
    ],
  })

function signatureOf({ v2_only, sign_all }: NamedKey): string {
  if (v2_only) return 'v2'
  return sign_all ? 'all values' : 'any'
}

/** Gives a key a new secret. The present one signs for the overlap, an earlier one no longer does. */
export async function rotateKey(
  store: Store,
  name: string,
  overlapHours: number,
  now: Date,
): Promise<string[]> {
  const { caller } = await findKeyNamed(store, name)
  const secret = newSecret()
  const until = secondsOf(now) + overlapHours * HOUR_SECONDS
  const to = (stored: NamedKey | undefined) => {
    const { secret: before, previous: _, ...key } = requireStored(name, stored)
    return {
      ...key,
      secret,
      rotated_at: now.toISOString(),
      ...(overlapHours > 0 && { previous: { secret: before, until } }),
    }
  }
  const logEntry = logged(caller, `got another secret for the key ${name}`, now)
  await changeNamedKey(store, { accountId: caller.id, name, to, logEntry }).catch(refuse(name))
  const zone = await zoneOf(store)
  const previous =
    overlapHours > 0
      ? `signs until ${formatDateTime(until, zone)} (${zone})`
      : 'is refused from the next second on'
  return [`${name} ${secret}`, `${SHOWN_ONCE} The previous one ${previous}.`]
}

export async function revokeKey(store: Store, name: string, now: Date): Promise<string> {
  const { caller } = await findKeyNamed(store, name)
  const to = (stored: NamedKey | undefined) => {
    requireStored(name, stored)
    return undefined
  }
  const logEntry = logged(caller, `lost the key ${name}`, now)
  await changeNamedKey(store, { accountId: caller.id, name, to, logEntry }).catch(refuse(name))
  return `Revoked ${name}`
}

async function findKeyNamed(store: Store, name: string): Promise<HeldKey> {
  const held = await findNamedKey(store, name)
  if (held) return held
  const names = (await listNamedKeys(store)).map(({ key }) => key.name)
  throw unknownName('key', name, names, 'npx tollgate key list shows all of them')
}

function requireStored(name: string, stored: NamedKey | undefined): NamedKey {
  if (!stored) throw new CommandError(`Another command revoked the key ${name} at the same time`)
  return stored
}

const logged = ({ id, username }: Pick<Caller, 'id' | 'username'>, did: string, now: Date): Change =>
  inAuditLog({ at: now.toISOString(), who: terminalUser(), account: username, account_id: id, did })

const refuse =
  (name: string) =>
  (error: unknown): never => {
    if (error instanceof TooManyKeys)
      throw new CommandError(`The key ${name} is not stored: ${error.message}`)
    if (!(error instanceof ConditionFailed)) throw error
    throw new CommandError('Another command changed this key at the same time: list the keys and try again')
  }
