import { ALL_TIME } from '#lib/base/calendar.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { adjustments, entriesOfAdjustment } from '../adjustment.ts'
import { balanceKey, ledgerSums } from '../balance-item.ts'
import { entriesOfCreditNote, listCreditNotes } from '../credit-note.ts'
import { documentPages } from '../document.ts'
import { listInvoices } from '../invoice.ts'
import { entriesOfInvoice } from '../invoice-payment.ts'
import { entriesOfPayment, listPayments, type Payment } from '../payment.ts'
import { figuresIn, type LedgerFigures } from './ledger-figures.ts'

type LedgerSettings = Pick<Settings, 'hasLedger' | 'Default_Currency'>

/**
 * The figures of an account, by currency; of one seller, or of all. `item` is the first part of its balance.
 * Those of a table of an earlier format are summed up from the documents.
 */
export const figuresOf = async (
  store: Store,
  settings: LedgerSettings,
  { id, item, seller }: { readonly id: number; readonly item: Item | undefined; readonly seller?: number },
): Promise<LedgerFigures[]> =>
  figuresIn(settings.hasLedger ? (item ?? {}) : await ledgerOfDocuments(store, id), settings, seller)

/** The same, for an account whose balance was not read. One read unit. */
export const findFigures = async (
  store: Store,
  settings: LedgerSettings,
  id: number,
  seller?: number,
): Promise<LedgerFigures[]> =>
  figuresOf(store, settings, {
    id,
    item: settings.hasLedger ? await store.get(balanceKey(id, 0)) : undefined,
    ...(seller !== undefined && { seller }),
  })

/**
 * The ledger of an account as its documents add up, by the attributes that hold the sums. `said` is how a
 * payment counts.
 */
export async function ledgerOfDocuments(
  store: Store,
  user: number,
  said: (payment: Payment) => Promise<Payment> = async (payment) => payment,
): Promise<Record<string, Money>> {
  const sums: Record<string, Money> = {}
  const count = (seller: number, entries: Parameters<typeof ledgerSums>[1]) => {
    for (const [name, amount] of Object.entries(ledgerSums(seller, entries)))
      sums[name] = add(amount, sums[name] ?? ZERO)
  }
  for await (const page of listInvoices(store, { user }))
    for (const one of page) count(one.owner_id, entriesOfInvoice(one))
  for await (const page of listCreditNotes(store, { user }))
    for (const one of page) count(one.owner_id, entriesOfCreditNote(one))
  for await (const page of documentPages(store, adjustments, { scope: { user } }))
    for (const one of page) count(one.owner_id, entriesOfAdjustment(one))
  for await (const page of listPayments(store, { user }, ALL_TIME))
    for (const one of page) count(one.owner_id, entriesOfPayment(await said(one)))
  return sums
}
