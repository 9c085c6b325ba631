import {
  type Document,
  type DocumentKind,
  itemOf,
  readPointer,
  targetOf,
} from '#lib/store/billing/document.ts'
import { invoices } from '#lib/store/billing/invoice.ts'
import { checkProductPage, keysOfPages } from '#lib/store/billing/invoice-product.ts'
import { subscriptions } from '#lib/store/billing/subscription.ts'
import { accountKeys, currencyKeys, documentKeys, keyIn, serviceKeys } from '#lib/store/keys.ts'
import { agrees, listed, present, type Rule } from './statement.ts'

/** A document: its account is there and has the owner whose list it is in, and it is found by its id. */
export const documentRule =
  <D extends Document>(kind: DocumentKind<D>): Rule =>
  (item, { defaultCurrency }) => {
    const document = kind.check(item)
    const { id, user_id, owner_id, currency = '' } = document
    const { PK: _, SK, GSI1PK, GSI1SK } = itemOf(kind, document)
    const subject = `${kind.name} ${id}`
    return [
      agrees(
        accountKeys.item(user_id),
        { owner_id },
        `${subject} belongs to account ${user_id} of owner ${owner_id}, which is not so.`,
      ),
      agrees(
        documentKeys.pointer(kind.name, id),
        { user_id, target: SK },
        `${subject} cannot be found by its id.`,
      ),
      ...listed(item, { SK, GSI1PK, GSI1SK }, subject),
      ...(currency === '' || currency === defaultCurrency
        ? []
        : [present(currencyKeys.item(currency), `${subject} is in ${currency}, a currency without a rate.`)]),
    ]
  }

/** An invoice besides: the pages of its products are there. */
export const invoiceRule: Rule = (item, circumstances) => {
  const invoice = invoices.check(item)
  return [
    ...documentRule(invoices)(item, circumstances),
    ...keysOfPages(invoice).map((key) => present(key, `INVOICE ${invoice.id} has lost products.`)),
    ...(item['products_digest'] === invoice.products_digest
      ? []
      : [{ wrong: `INVOICE ${invoice.id} has another digest of its products in its row than beside it.` }]),
  ]
}

/** The columns of products that lie beside their invoice. */
export const productPageRule: Rule = (item) => {
  checkProductPage(item)
  return []
}

/** A subscription besides: its service is there. */
export const subscriptionRule: Rule = (item, circumstances) => {
  const { id, service_id } = subscriptions.unpack(item)
  return [
    ...documentRule(subscriptions)(item, circumstances),
    present(
      serviceKeys.item(service_id),
      `SUBSCRIPTION ${id} is to service ${service_id}, which is not there.`,
    ),
  ]
}

/** The pointer of a document: the document is where it says. */
export const documentPointerRule: Rule = (item) => {
  const pointer = readPointer(item)
  const { PK } = keyIn(item)
  return [
    present(targetOf(pointer), `${PK} leads to account ${pointer.user_id}, which has no such document.`),
  ]
}
