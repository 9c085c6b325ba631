import type { Caller } from '#lib/accounts/account.ts'
import { doneRequestKey, REPEATED_SECONDS } from '#lib/acts/act.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { isUnder } from '#lib/table/keys.ts'
import { carrying } from '#lib/table/requests/carrying.ts'
import { absent, keyOfChange } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { ConsoleRefusal } from './refusals.ts'

const isLogEntry = isUnder(auditLogKey)

/**
 * The store of an action that all attempts with one Idempotency-Key carry out once: the transaction with the
 * log entry claims the key. Refuses an action that was carried out. A refused one leaves no claim.
 */
export async function idempotentStore(store: Store, caller: Caller, sent: string, now: Date): Promise<Store> {
  const key = doneRequestKey(caller.id, hexDigest(sent))
  const done = await store.get(key)
  if (done)
    throw new ConsoleRefusal(
      'already_done',
      `This was done before, at ${done['at']}, and its answer was lost: close the form and look.`,
    )
  const claim = { ...key, at: now.toISOString(), expires_at: secondsOf(now) + REPEATED_SECONDS }
  return carrying(store, (changes) => changes.some((change) => isLogEntry(keyOfChange(change))), [
    { put: claim, when: { PK: absent } },
  ])
}
