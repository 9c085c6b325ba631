import type { Command } from '@commander-js/extra-typings'
import { listAccounts } from '#lib/accounts/account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { recountHolds, releaseHolds } from '#lib/control/hold-acts.ts'
import { findHolds, readHold } from '#lib/control/holds.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { findStoredAccountNamed } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const holds = withTableOptions(command).description(
    'A hold is the money that a call in progress may still cost (docs/call-control.md).',
  )
  holds.addOption(ACTOR)
  holds
    .command('list')
    .description('list the holds of all accounts, or of one')
    .option('--account <NAME>', 'only those of this account')
    .addOption(listFormat())
    .action(listAction((store, { account }) => listHolds(store, account, new Date())))
  actCommand(holds, 'release', releaseHolds, ['account', 'holds'])
  actCommand(holds, 'recount', recountHolds, ['account'])
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
