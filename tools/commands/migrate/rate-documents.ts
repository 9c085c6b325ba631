import { ignoreRefusal } from '#lib/base/row-refused.ts'
import { type Books, type Converted, openBooks, withExchangeRate } from '#lib/billing/booking.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import type { Document, DocumentEntity, OwnedDocument } from '#lib/billing/document.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { changeDocuments } from './change-documents.ts'
import type { Repair } from './new-entries.ts'

/** Tables of earlier formats have documents without their exchange rate. */
export const RATED_SINCE = 3

/**
 * Gives the documents among these items the exchange rate of now, as if it were that of their day. A document
 * whose currency has no rate stays without one: check-data names it.
 */
export const rateDocuments = async (
  store: Store,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> => [
  ...(await rateKind(store, payments, items, dryRun)),
  ...(await rateKind(store, invoices, items, dryRun)),
  ...(await rateKind(store, creditNotes, items, dryRun)),
]

async function rateKind<D extends Document & Converted>(
  store: Store,
  kind: DocumentEntity<D>,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> {
  const rows = items.filter(isUnder(kind.key)).flatMap((item) => undamaged(kind, item))
  const others = rows.filter(
    ({ currency = '', exchange_rate }) => currency !== '' && exchange_rate === undefined,
  )
  if (others.length === 0) return []
  const books = await openBooks(store, await settingsOf(store), others)
  const unrated = others.filter((row) => rated(row, books) !== undefined)
  return changeDocuments(store, kind, unrated, {
    counts: 'rated',
    dryRun,
    change: async (before) => rated(before, books),
  })
}

/** The document with its rate; `undefined` if it has one, needs none, or its currency has none. */
function rated<R extends Converted>(row: R, books: Books): R | undefined {
  if (row.exchange_rate !== undefined) return undefined
  try {
    const after = withExchangeRate(row, row, books)
    return after.exchange_rate === undefined ? undefined : after
  } catch (error) {
    return ignoreRefusal(error)
  }
}

/** Damage is left to check-data. */
export function undamaged<D extends Document>(
  kind: DocumentEntity<D>,
  item: Item,
): Stored<OwnedDocument<D>>[] {
  try {
    return [kind.check(item)]
  } catch {
    return []
  }
}
