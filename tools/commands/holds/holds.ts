import type { Command } from '@commander-js/extra-typings'
import { listAccounts } from '#lib/accounts/account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { add } from '#lib/base/money.ts'
import { findHolds, holdsKey, readHold, releaseUpdate } from '#lib/control/holds.ts'
import { exactly } from '#lib/table/items.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, findStoredAccountNamed } from '../../command-line/named.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { CommandError, countOf } from '../../machine/terminal.ts'

export function declare(command: Command): void {
  const holds = withTableOptions(command).description(
    'A hold is the money that a call in progress may still cost (docs/call-control.md).',
  )
  holds
    .command('list')
    .description('list the holds of all accounts, or of one')
    .option('--account <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(listAction((store, { account }) => listHolds(store, account, new Date())))
  holds
    .command('release')
    .argument('<account>', 'the username or id')
    .argument('[holds...]', 'the holds to release, as list names them')
    .description('release holds of calls that are over, such as those whose CDR never came')
    .option('--expired', 'those whose time is over')
    .option('--recount', 'release none, and write the sum and the number of the holds again')
    .action(
      changeAction((store, { now }, account, ...[names, options]) =>
        releaseHolds(store, account, names, { ...options, now }),
      ),
    )
}

/** The holds of all accounts, or of one: the money that calls in progress may still cost. */
export const listHolds = (store: Store, account: string | undefined, now: Date): Promise<Listing> =>
  listingOf(store, 'hold', holdsOf(store, account), {
    account: 'text',
    hold: 'text',
    amount: 'number',
    seconds: 'number',
    asked: ['time', ({ at }) => secondsOf(new Date(at))],
    until: 'time',
    state: ['text', ({ until }) => (until < secondsOf(now) ? 'expired' : 'open')],
  })

/** The accounts whose holds are read with one request. */
const ACCOUNTS_AT_ONCE = 100

async function* holdsOf(store: Store, account: string | undefined) {
  const accounts =
    account === undefined
      ? await Array.fromAsync(listAccounts(store))
      : [await findStoredAccountNamed(store, account)]
  for (const some of slices(accounts, ACCOUNTS_AT_ONCE)) {
    const ids = some.map(({ id }) => id)
    for (const [index, { texts }] of (await findHolds(store, ids)).entries())
      for (const [hold, text] of texts) yield { account: some[index]?.username, hold, ...readHold(text) }
  }
}

interface ReleaseOptions {
  readonly expired?: boolean | undefined
  readonly recount?: boolean | undefined
}

/** Releases holds of an account by their names, or those whose time is over, or writes their sum again. */
export async function releaseHolds(
  store: Store,
  account: string,
  names: readonly string[],
  { expired = false, recount = false, now }: ReleaseOptions & { readonly now: Date },
): Promise<string> {
  const { id, username } = await findAccountNamed(store, account)
  if (recount) return recountHolds(store, id, username)
  const [holds] = await findHolds(store, [id])
  const isMeant = (name: string, text: string) =>
    names.includes(name) || (expired && readHold(text).until < secondsOf(now))
  const texts = new Map([...(holds?.texts ?? [])].filter(([name, text]) => isMeant(name, text)))
  const missing = names.find((name) => !texts.has(name))
  if (missing !== undefined)
    throw new CommandError(`${username} has no hold ${missing}: npx tollgate holds list shows all of them`)
  if (names.length === 0 && !expired) throw new CommandError('Name the holds to release, or pass --expired')
  for (const some of slices(texts, ACCOUNTS_AT_ONCE)) {
    const { update, to, when } = releaseUpdate(id, new Map(some))
    if (!(await hasWritten(store.update(update, to, when)))) throw changedMeanwhile(username)
  }
  return `Released ${countOf(texts.size, 'hold')} of ${username}`
}

const changedMeanwhile = (username: string): CommandError =>
  new CommandError(`The holds of ${username} changed at the same time: run it again`)

async function recountHolds(store: Store, id: number, username: string): Promise<string> {
  const [item] = await store.getMany([holdsKey(id)])
  if (!item) throw new CommandError(`${username} has no holds`)
  const [holds] = await findHolds(store, [id])
  const texts = holds?.texts ?? new Map<string, string>()
  const sum = add('0', ...[...texts.values()].map((text) => readHold(text).amount))
  const set = { held: exactly(sum), open: texts.size, epoch: (holds?.epoch ?? 0) + 1 }
  const asRead = Object.entries(item).filter(([name]) => name !== 'PK' && name !== 'SK')
  const when = Object.fromEntries(
    asRead.map(([name, value]) => [name, is(name === 'held' ? exactly(String(value)) : value)]),
  )
  if (!(await hasWritten(store.update(holdsKey(id), { set }, when)))) throw changedMeanwhile(username)
  return `${username} holds ${sum} for ${countOf(texts.size, 'call')}`
}
