import type { Command } from '@commander-js/extra-typings'
import type { NamedKey } from '#lib/accounts/named-key.ts'
import { listNamedKeys } from '#lib/accounts/named-key-stored.ts'
import { addKey, revokeKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { withTableOptions } from '../../command-line/over-table.ts'

const DESCRIPTION =
  'A key signs for one account, for some methods, from some addresses. Changes take effect within a second and are logged: \
npx tollgate settings log. docs/keys.md describes both signatures.'

const EXAMPLE = '\nnpx tollgate key add crm --as bob --methods devices_get,rate_get --from 10.0.0.0/8'

export function declare(command: Command): void {
  const key = withTableOptions(command).description(DESCRIPTION)
  actCommand(key, 'add', addKey, ['name']).addHelpText('after', EXAMPLE)
  actCommand(key, 'rotate', rotateKey, ['name'])
  actCommand(key, 'revoke', revokeKey, ['name'])
  listCommand(key, 'list', 'list the keys without their secrets', (store) => listKeyRows(store, new Date()))
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
