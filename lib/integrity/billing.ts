import { invoices } from '#lib/store/billing/invoice.ts'
import { checkProductPage, keysOfPages } from '#lib/store/billing/invoice-product.ts'
import type { Entity } from '#lib/store/entity.ts'
import { currencyKey } from '#lib/store/keys.ts'
import { present, type Rule } from './statement.ts'

/** A document without a currency of its own is in the default one. Every other one has a rate. */
export const currencyRule =
  (documents: Entity): Rule =>
  (item, { defaultCurrency }) => {
    const { id, currency } = documents.read(item)
    if (currency === undefined || currency === '' || currency === defaultCurrency) return []
    const otherwise = `${documents.name} ${id} is in ${currency}, a currency without a rate.`
    return [present(currencyKey(String(currency)), otherwise)]
  }

/** The pages of an invoice's products exist. */
export const invoiceRule: Rule = (item) => {
  const invoice = invoices.read(item)
  return keysOfPages(invoice).map((key) => present(key, `invoice ${invoice.id} has lost products.`))
}

/** The columns of products that lie beside their invoice. */
export const productPageRule: Rule = (item) => {
  checkProductPage(item)
  return []
}
