import { secondsOf } from '#lib/domain/calendar.ts'
import type { Money } from '#lib/domain/money.ts'
import { retryingRaces } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { replaceDocuments } from './document.ts'
import { findInvoices, type Invoice, invoices, type StoredInvoice } from './invoice.ts'
import { expireProductPages, inPages, type Product, putProductPages } from './invoice-product.ts'

/** Products as a dataset brings them: all of one invoice, with their sum and the digest of their rows. */
export interface NewProducts {
  readonly products: readonly Product[]
  readonly sum: Money
  readonly digest: string
  readonly now: Date
}

/** Longer than any answer takes that still reads the old ones. */
const KEPT_SECONDS = 3600

/** The products in place of those the invoice has. Nothing happens when the invoice is gone by now. */
export const replaceProducts = (store: Store, invoiceId: number, given: NewProducts): Promise<void> =>
  retryingRaces(store, async () => {
    const [before] = await findInvoices(store, [invoiceId])
    if (!before) return
    const pages = inPages(given.products)
    const spilled = pages.length > 1
    const after = { ...before, ...productsOfInvoice(given, spilled ? pages.length : 0) }
    if (spilled) await putProductPages(store, after, pages)
    await replaceDocuments(store, invoices, [{ before, after }])
    if (before.products_digest !== given.digest) {
      await expireProductPages(store, before, secondsOf(given.now) + KEPT_SECONDS)
    }
  })

/** Products of one invoice, which was read as `before`. */
export interface NewProductsOf extends NewProducts {
  readonly before: StoredInvoice
}

/** Whether neither the old products nor the new ones lie beside the invoice. */
export const isShort = ({ before, products }: NewProductsOf): boolean =>
  before.product_pages === 0 && inPages(products).length <= 1

/** Short lists of several invoices, all or none. Throws ConditionFailed when one of the invoices has changed. */
export const replaceShortProducts = (store: Store, given: readonly NewProductsOf[]): Promise<void> =>
  replaceDocuments(
    store,
    invoices,
    given.map(({ before, ...products }) => ({
      before,
      after: { ...before, ...productsOfInvoice(products, 0) },
    })),
  )

const productsOfInvoice = (
  { products, sum, digest }: NewProducts,
  product_pages: number,
): Partial<Invoice> => ({
  products: product_pages > 0 ? [] : products,
  product_pages,
  products_digest: digest,
  products_sum: sum,
})
