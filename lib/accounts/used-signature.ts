import { keyForm } from '#lib/table/keys.ts'
import { absentOrIs } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** The v2 signature of a request. It covers the nonce, and its length is fixed. */
export const usedSignatureKey = keyForm('SIGNATURE#<signature>', 'SIGNATURE')

/**
 * Stores that a request used a signature. Returns false if another request has used it. One write unit. An
 * update that is repeated after a lost answer finds its own request. `expires_at` is in Unix seconds.
 */
export const claimSignature = (
  store: Store,
  signature: string,
  { request, expires_at }: { readonly request: string; readonly expires_at: number },
): Promise<boolean> =>
  hasWritten(
    store.update(
      usedSignatureKey(signature),
      { set: { request, expires_at } },
      { request: absentOrIs(request) },
    ),
  )
