import { createHash } from 'node:crypto'
import { secondsOf } from '#lib/domain/calendar.ts'
import { changeNamedKey } from '#lib/store/accounts/named-key.ts'
import { claimSignature } from '#lib/store/accounts/used-signature.ts'
import { inSettingsLog } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

const KEY_SECRET = 'fictional-secret-of-the-key-crm'

/** A key of an integration, and the signature of a request with v2. */
export async function useKeys(store: Store, now: Date): Promise<void> {
  const added_at = now.toISOString()
  const key = {
    name: 'crm',
    secret: KEY_SECRET,
    methods: ['devices_get'],
    from: '10.0.0.0/8',
    v2_only: false,
  }
  await changeNamedKey(store, {
    accountId: 0,
    name: key.name,
    to: () => ({ ...key, added_at }),
    logEntry: inSettingsLog({ at: added_at, who: 'admin', account: 'admin', did: 'got the key crm' }),
  })
  const use = { request: 'request-1', expires_at: secondsOf(now) + 600 }
  await claimSignature(store, createHash('sha256').update(KEY_SECRET).digest('hex'), use)
}
