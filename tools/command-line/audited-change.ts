import { auditLogKey, inAuditLog } from '#lib/settings/audit-log.ts'
import { isUnder } from '#lib/table/keys.ts'
import { keyOfChange } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** The operator of a change, and its words, such as those of the command line. */
interface AuditedChange {
  readonly who: string
  readonly words: string
  readonly clock: () => Date
  /** Takes what writes the entry of a change that is interrupted. */
  readonly onInterrupt?: ((log: () => Promise<void>) => void) | undefined
}

const isEntry = isUnder(auditLogKey)

/**
 * Makes a change, and writes its words into the audit log if it has written to the table but no entry of its
 * own. A change that fails after its first write has an entry, too.
 */
export async function audited<T>(
  store: Store,
  { who, words, clock, onInterrupt }: AuditedChange,
  change: (store: Store) => Promise<T>,
): Promise<T> {
  let isLogged = false
  let isSending = false
  const watched: Store = {
    ...store,
    transact: (changes) => {
      isLogged ||= changes.some((one) => isEntry(keyOfChange(one)))
      isSending = true
      return store.transact(changes)
    },
  }
  const before = store.meter.spent.write
  const log = async (action = words) => {
    if (isLogged) return
    isLogged = true
    await store.transact([inAuditLog({ at: clock().toISOString(), who, action })])
  }
  const hasWritten = () => store.meter.spent.write !== before
  // A write that is under way may still reach the table.
  onInterrupt?.(async () => {
    if (hasWritten() || isSending) await log(`${words} (interrupted)`)
  })
  return change(watched).finally(() => (hasWritten() ? log() : undefined))
}
