import pMap from 'p-map'
import { type CreditNote, creditNotes } from '#lib/billing/credit-note.ts'
import { type DocumentEntity, type OwnedDocument, replaceDocuments } from '#lib/billing/document.ts'
import { type Invoice, invoices, isIssued } from '#lib/billing/invoice.ts'
import { keepBrand } from '#lib/invoicing/documents/brand.ts'
import { type DocumentSource, presentParties } from '#lib/invoicing/documents/printed-document.ts'
import { frozenParties, partiesText } from '#lib/invoicing/parties.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'

/** Tables of earlier formats have documents that are printed from the settings of now. */
export const FROZEN_SINCE = 4

const CONCURRENT_DOCUMENTS = 8

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
  const freeze = dryRun ? async () => ONE_DOCUMENT : ({ id }: D) => freezeOne(source, kind, id)
  return pMap(live, freeze, { concurrency: CONCURRENT_DOCUMENTS })
}

const ONE_DOCUMENT: Repair = { ...NO_REPAIR, frozen: 1 }

const isLive = (document: Invoice | CreditNote): boolean =>
  isIssued(document) && frozenParties(document.parties)?.facts === undefined

const freezeOne = <D extends Invoice | CreditNote>(
  source: DocumentSource,
  kind: DocumentEntity<D>,
  id: number,
): Promise<Repair> =>
  retryingRaces(source.store, async () => {
    const before = await kind.find(source.store, id)
    if (!before || !isLive(before)) return NO_REPAIR
    const after = { ...before, parties: await frozenText(source, before) }
    await replaceDocuments(source.store, kind, [{ before, after }])
    return ONE_DOCUMENT
  })

async function frozenText(
  source: DocumentSource,
  document: OwnedDocument<Invoice | CreditNote>,
): Promise<string> {
  const brand = await keepBrand(source.store, document.owner_id)
  const { facts, ...parties } = await presentParties(source, document, brand)
  return partiesText({ ...parties, facts: { ...facts, since: 'migration' } })
}
