import pMap from 'p-map'
import { listAccounts } from '#lib/accounts/account.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { openBooks } from '#lib/billing/booked-documents.ts'
import { type Bookable, type Books, bookedAmount, withBookedAmount } from '#lib/billing/booking.ts'
import { type Document, type DocumentEntity, documentPages, replaceDocuments } from '#lib/billing/document.ts'
import { payments } from '#lib/billing/payment.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

const ACCOUNTS_AT_ONCE = 8

/**
 * Books the payments and adjustments of all accounts as the settings say, each in one transaction with the balance. Returns
 * the number of those that have changed.
 */
export async function bookDocuments(store: Store, settings: Settings): Promise<number> {
  let changed = 0
  const bookAccount = async ({ id }: { readonly id: number }) => {
    changed += await bookKind(store, payments, id, settings)
    changed += await bookKind(store, adjustments, id, settings)
  }
  await pMap(listAccounts(store), bookAccount, { concurrency: ACCOUNTS_AT_ONCE })
  return changed
}

/** The list of an account is read consistently. */
async function bookKind<D extends Document & Bookable>(
  store: Store,
  kind: DocumentEntity<D>,
  user: number,
  settings: Settings,
): Promise<number> {
  let changed = 0
  for await (const page of documentPages(store, kind, { scope: { user } })) {
    const books = await openBooks(
      store,
      settings,
      page.map(({ currency = '' }) => currency),
    )
    const wrong = page.filter((row) => bookedAmount(row, row, books) !== row.booked)
    for (const { id } of wrong) changed += await bookOne(store, kind, id, books)
  }
  return changed
}

/** Books a document as it is stored now. Returns 0 if it is booked already. */
const bookOne = <D extends Document & Bookable>(
  store: Store,
  kind: DocumentEntity<D>,
  id: number,
  books: Books,
): Promise<number> =>
  retryingRaces(store, async () => {
    const before = await kind.find(store, id)
    const after = before && withBookedAmount(before, before, books)
    if (!after || after.booked === before.booked) return 0
    await replaceDocuments(store, kind, [{ before, after }])
    return 1
  })
