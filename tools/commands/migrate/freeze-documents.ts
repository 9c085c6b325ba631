import { type CreditNote, creditNotes } from '#lib/billing/credit-note.ts'
import type { DocumentEntity, OwnedDocument } from '#lib/billing/document.ts'
import { type Invoice, invoices, isIssued } from '#lib/billing/invoice.ts'
import { keepBrand } from '#lib/invoicing/documents/brand.ts'
import { type DocumentSource, presentParties } from '#lib/invoicing/documents/printed-document.ts'
import { frozenParties, partiesText } from '#lib/invoicing/parties.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { changeDocuments } from './change-documents.ts'
import type { Repair } from './new-entries.ts'

/** Tables of earlier formats have documents that are printed from the settings of now. */
export const FROZEN_SINCE = 4

/**
 * Lets the issued documents among these items keep what they would print now, marked as such: their facts at
 * their issue are not known any more.
 */
export async function freezeDocuments(
  store: Store,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> {
  const found = items.filter((item) => isUnder(invoices.key)(item) || isUnder(creditNotes.key)(item))
  if (found.length === 0) return []
  const source = { store, settings: await settingsOf(store) }
  return [
    ...(await freezeKind<Invoice>(source, invoices, found, dryRun)),
    ...(await freezeKind<CreditNote>(source, creditNotes, found, dryRun)),
  ]
}

async function freezeKind<D extends Invoice | CreditNote>(
  source: DocumentSource,
  kind: DocumentEntity<D>,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> {
  const live = items
    .filter(isUnder(kind.key))
    .map((item) => kind.read(item))
    .filter(isLive)
  return changeDocuments(source.store, kind, live, {
    counts: 'frozen',
    dryRun,
    change: async (before) =>
      isLive(before) ? { ...before, parties: await frozenText(source, before) } : undefined,
  })
}

const isLive = (document: Invoice | CreditNote): boolean =>
  isIssued(document) && frozenParties(document.parties)?.facts === undefined

async function frozenText(
  source: DocumentSource,
  document: OwnedDocument<Invoice | CreditNote>,
): Promise<string> {
  const brand = await keepBrand(source.store, document.owner_id)
  const { facts, ...parties } = await presentParties(source, document, brand)
  return partiesText({ ...parties, facts: { ...facts, since: 'migration' } })
}
