import type { Caller } from '#lib/accounts/account.ts'
import { doneRequestKey, REPEATED_SECONDS } from '#lib/acts/act.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { isUnder } from '#lib/table/keys.ts'
import { absent, type Change, combined, keyOfChange } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

const isLogEntry = isUnder(auditLogKey)

/**
 * The store of an action that all attempts with one Idempotency-Key carry out once: the transaction with the
 * log entry claims the key. Refuses an action that was carried out. A refused one leaves no claim.
 */
export async function idempotentStore(store: Store, caller: Caller, sent: string, now: Date): Promise<Store> {
  const key = doneRequestKey(caller.id, hexDigest(sent))
  const done = await store.get(key)
  if (done) throw new Refusal('already_done', { at: String(done['at']) })
  const claim = { ...key, at: now.toISOString(), expires_at: secondsOf(now) + REPEATED_SECONDS }
  let carried: readonly Change[] = [{ put: claim, when: { PK: absent } }]
  return {
    ...store,
    transact: async (changes) => {
      if (!changes.some((change) => isLogEntry(keyOfChange(change)))) return store.transact(changes)
      await store.transact(combined([...changes, ...carried]))
      carried = []
    },
  }
}
