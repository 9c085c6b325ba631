import pMap from 'p-map'
import { listAccounts } from '#lib/accounts/account.ts'
import type { Money } from '#lib/base/money.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { type Books, openBooks, withBookedAmount } from '#lib/billing/booking.ts'
import { charges, withBookedCharge } from '#lib/billing/charges/charge.ts'
import { type Document, type DocumentEntity, documentPages, replaceDocuments } from '#lib/billing/document.ts'
import { payments } from '#lib/billing/payment.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

const ACCOUNTS_AT_ONCE = 8

/**
 * Books the payments, adjustments and charges of all accounts as the settings say, each in one transaction
 * with the balance. Returns the number of those that have changed.
 */
export async function bookDocuments(store: Store, settings: Settings): Promise<number> {
  let changed = 0
  const bookAccount = async ({ id }: { readonly id: number }) => {
    changed += await bookKind(store, { kind: payments, booked: withBookedAmount }, id, settings)
    changed += await bookKind(store, { kind: adjustments, booked: withBookedAmount }, id, settings)
    changed += await bookKind(store, { kind: charges, booked: withBookedCharge }, id, settings)
  }
  await pMap(listAccounts(store), bookAccount, { concurrency: ACCOUNTS_AT_ONCE })
  return changed
}

/** A document that may be booked, by the state that is stored and the books. */
type BookedKind<D extends Document> = {
  readonly kind: DocumentEntity<D>
  readonly booked: (row: D, before: D, books: Books) => D & { readonly booked: Money | undefined }
}

/** The list of an account is read consistently. */
async function bookKind<D extends Document & { readonly booked?: Money | undefined }>(
  store: Store,
  of: BookedKind<D>,
  user: number,
  settings: Settings,
): Promise<number> {
  let changed = 0
  for await (const page of documentPages(store, of.kind, { scope: { user } })) {
    const books = await openBooks(store, settings, page)
    const wrong = page.filter((row) => of.booked(row, row, books).booked !== row.booked)
    for (const { id } of wrong) changed += await bookOne(store, of, id, books)
  }
  return changed
}

/** Books a document as it is stored now. Returns 0 if it is booked already. */
const bookOne = <D extends Document & { readonly booked?: Money | undefined }>(
  store: Store,
  { kind, booked }: BookedKind<D>,
  id: number,
  books: Books,
): Promise<number> =>
  retryingRaces(store, async () => {
    const before = await kind.find(store, id)
    const after = before && { ...before, ...booked(before, before, books) }
    if (!after || after.booked === before.booked) return 0
    await replaceDocuments(store, kind, [{ before, after }])
    return 1
  })
