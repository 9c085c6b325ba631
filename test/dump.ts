import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Actor } from '#lib/base/account-types.ts'
import { shardsIn } from '#lib/base/shards.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { type Call, readCall } from '#lib/calls/call.ts'
import { searchCalls } from '#lib/calls/call-search.ts'
import { listActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { listSuspended, type SuspendedCdr } from '#lib/cdrs/suspense/suspense.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { newPlaces } from '#test/shards.ts'

/** An item as a test looks at it. */
export type DumpedItem = Key & Readonly<Record<string, unknown>>

/** Every item of a table, in key order. */
export async function dumpTable(client: DynamoDBDocumentClient, tableName: string): Promise<DumpedItem[]> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) throw new Error('The table is too large to dump')
  return (Items as DumpedItem[]).map(noted).sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
}

const DOCUMENTS = [invoices, creditNotes, payments, adjustments]

/** A call or a document with its columns in place of the packed row; other items as they are. */
export function unpackedItem({ row, ...item }: DumpedItem): DumpedItem {
  if (item.PK.startsWith('CALL#')) return { ...item, ...readCall({ row }) }
  const kind = DOCUMENTS.find((one) => item.SK.startsWith(`${one.kind}#`))
  if (kind && row !== undefined) return { ...item, ...kind.readRow({ row }) }
  return { ...item, row }
}

/** The calls among dumped items, unpacked. */
export const callsIn = (items: readonly DumpedItem[]): Call[] =>
  items.filter(({ PK }) => PK.startsWith('CALL#')).map(readCall)

/** Every call, as a search of all days finds it: in the order of their times. */
export async function searchedCalls({ store }: { readonly store: Store }): Promise<Call[]> {
  const period = { from: 0, till: 2_000_000_000 }
  const { batches } = await searchCalls(store, {
    of: ['everyone'],
    period,
    settings: { ...newPlaces, Timezone: 'UTC' },
  })
  return rowsOfPages(batches)
}

/** The rows of all pages of a list. */
export const rowsOfPages = async <T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> =>
  (await Array.fromAsync(pages)).flat()

const ADMIN: Actor = { id: 0, usertype: 'admin', owner_id: 0 }

/** The calls in progress that an account sees. */
export const activeCallsOf = (
  { store, now }: { readonly store: Store; readonly now: Date },
  caller = ADMIN,
) => findSettings(store).then((stored) => rowsOfPages(listActiveCalls(store, caller, now, shardsIn(stored))))

/** Every suspended CDR, oldest first. */
export const suspenseOf = ({ store }: { readonly store: Store }): Promise<SuspendedCdr[]> =>
  rowsOfPages(listSuspended(store, { after: '' }))

const nameOf = ({ PK, SK }: Key): string => `${PK} ${SK}`
