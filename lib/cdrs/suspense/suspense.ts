import { isDeepStrictEqual } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import pMap from 'p-map'
import * as v from 'valibot'
import type { Seconds } from '#lib/base/calendar.ts'
import { namesIn, slices } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { writingColumns } from '#lib/settings/intake.ts'
import { picked } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { betweenMoments, isSameKey, type Key, keyForm, keyIn } from '#lib/table/keys.ts'
import { type Consistency, ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import type { Found } from '../formats/cdr.ts'
import { entryIdOf, type MediationContext, type Part, type PartOutcome } from '../mediation.ts'

/** Suspended CDRs, in the order of first arrival. A large text is in parts of their own. */
export const suspenseKeys = {
  item: keyForm('SUSPENSE#<id>', 'SUSPENSE'),
  part: keyForm('SUSPENSE#<id>', 'TEXT#<digest>#<part>'),
  /** In GSI1. */
  listed: keyForm('SUSPENSE', '<order>#<id>'),
  orderOf: (place: string): string => place.slice(0, place.lastIndexOf('#')),
  moment: (place: string): Seconds => Number.parseInt(place, 10),
  /** All entries after a place. */
  after: (place: string): readonly [from: string, to: string] => [`${place} `, '~'],
}

/** The format of a CDR document, so that its text can be read again. */
export const documentColumns = {
  ...writingColumns,
  format: v.string(),
  source: v.string(),
  zone: v.string(),
}

const schema = v.object({
  ...documentColumns,
  id: v.string(),
  GSI1SK: v.string(),
  reason: v.string(),
  detail: v.string(),
  tries: v.number(),
  /** Columns of the call, if the CDR can be read. */
  start: v.optional(v.number()),
  src: v.optional(v.string()),
  dst: v.optional(v.string()),
  /** The length of the whole text in UTF-8. */
  bytes: v.optional(v.number()),
  /** The place of a text that is too large for the table: an object of the bucket, or a file. */
  object: v.optional(v.string()),
  /** The text in UTF-8, deflated. */
  packed: v.optional(v.instance(Uint8Array)),
  /** Larger texts are packed into parts of their own: their digest and their number. */
  parts: v.optional(v.object({ digest: v.string(), count: v.number() })),
  /** The CDR is stored or dropped, and the entry remains only until its parts are removed. */
  is_settled: v.optional(v.boolean()),
})

/** A suspended CDR: one that cannot be stored yet, with the reason. `suspendedText` returns its text. */
export type SuspendedCdr = v.InferOutput<typeof schema>

export const readSuspended = (item: Item): SuspendedCdr => v.parse(schema, item)

/** The position of an entry in the list. */
export const placeOf = ({ GSI1SK }: SuspendedCdr): string => GSI1SK

export const firstSeen = ({ GSI1SK }: SuspendedCdr): Seconds => suspenseKeys.moment(GSI1SK)

const allSuspended = { index: 'GSI1', partition: suspenseKeys.listed.partition() } as const

export async function findSuspended(store: Store, id: string): Promise<SuspendedCdr | undefined> {
  const item = await store.get(suspenseKeys.item(id))
  return item && readSuspended(item)
}

/** A CDR to suspend, with its text. The text is blank if `object` names its place. */
export type NewSuspendedCdr = Omit<SuspendedCdr, 'GSI1SK' | 'tries' | 'packed' | 'parts' | 'is_settled'> & {
  readonly text: string
  readonly order: string
}

/** Suspends CDRs. One that is suspended already, or comes twice, keeps its place and its whole text. */
export async function putSuspended(store: Store, cdrs: readonly NewSuspendedCdr[]): Promise<void> {
  const each = [...Map.groupBy(cdrs, ({ id }) => id).values()].flatMap(([first]) => first ?? [])
  await writeEntries(store, each, async (items) => {
    const batches = slices(items, ITEMS_IN_ONE_WRITE)
    await pMap(batches, (batch) => store.putBatch(batch), { concurrency: WRITES_AT_ONCE })
  })
}

/** More would only be throttled: the entries are all in one list. */
const WRITES_AT_ONCE = 4

/** The same for CDRs with different ids, in one transaction with other changes. */
export const putSuspendedTogether = (
  store: Store,
  cdrs: readonly NewSuspendedCdr[],
  changes: readonly Change[],
): Promise<void> =>
  writeEntries(store, cdrs, (items) => store.transact([...items.map((put) => ({ put })), ...changes]))

async function writeEntries(
  store: Store,
  cdrs: readonly NewSuspendedCdr[],
  write: (items: Key[]) => Promise<void>,
): Promise<void> {
  const stored = await store.getMany(cdrs.map(({ id }) => suspenseKeys.item(id)))
  const known = stored.map((item) => item && readSuspended(item))
  const items: Key[] = []
  for (const [index, cdr] of cdrs.entries()) items.push(await itemOf(store, cdr, known[index]))
  await write(items)
  store.meter.note('suspended', known.filter((entry) => entry === undefined).length)
}

async function itemOf(store: Store, cdr: NewSuspendedCdr, known: SuspendedCdr | undefined) {
  const { text, order, ...columns } = cdr
  const kept = keptText(known, cdr) ?? (await packText(store, cdr.id, text))
  const GSI1SK = known?.GSI1SK ?? suspenseKeys.listed(order, cdr.id).SK
  return { ...keysOf(cdr.id), ...columns, ...kept, GSI1SK, tries: (known?.tries ?? 0) + 1 }
}

const keysOf = (id: string) => ({ ...suspenseKeys.item(id), GSI1PK: suspenseKeys.listed.partition() })

/**
 * An entry keeps its text together with the format of that text. A CDR that comes again in another format,
 * zone or order of columns replaces both.
 */
function keptText(known: SuspendedCdr | undefined, cdr: NewSuspendedCdr) {
  if (!known || known.is_settled || known.object !== undefined) return undefined
  if (cdr.text !== '' && !isDeepStrictEqual(formatOf(known), formatOf(cdr))) return undefined
  const { packed, parts } = known
  return { ...formatOf(known), object: undefined, packed, parts }
}

const formatOf = (cdr: SuspendedCdr | NewSuspendedCdr) => picked(cdr, namesIn(documentColumns))

/** Packed text up to this length is in the entry itself, which every list reads. */
const MAX_BYTES_IN_ENTRY = 4000

/** Below DynamoDB's 400 KB for an item. */
const MAX_PART_BYTES = 350_000

/** Packs the text. Large texts are written in parts, before the entry that leads to them. */
async function packText(store: Store, id: string, text: string) {
  const packed = deflateRawSync(text)
  if (packed.length <= MAX_BYTES_IN_ENTRY) return { packed }
  const digest = hexDigest(packed).slice(0, 16)
  const count = Math.ceil(packed.length / MAX_PART_BYTES)
  const items = Array.from({ length: count }, (_, part) => ({
    ...suspenseKeys.part(id, digest, part),
    packed: packed.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES),
  }))
  await store.putBatch(items)
  return { parts: { digest, count } }
}

/** The whole text of a suspended CDR; blank if it is outside of the table. */
export async function suspendedText(store: Store, cdr: SuspendedCdr): Promise<string> {
  if (cdr.packed) return inflated([cdr.packed])
  if (!cdr.parts) return ''
  const { digest, count } = cdr.parts
  const keys = Array.from({ length: count }, (_, part) => suspenseKeys.part(cdr.id, digest, part))
  const items = await store.getMany(keys)
  return inflated(items.map((item) => v.parse(v.instance(Uint8Array), item?.['packed'])))
}

const inflated = (parts: readonly Uint8Array[]): string => inflateRawSync(Buffer.concat(parts)).toString()

/** A range of the list: Unix seconds of when CDRs came first, or all entries after a place. */
type SuspenseRange = { readonly from: number; readonly till: number } | { readonly after: string }

/** Oldest first, page by page. */
export async function* listSuspended(store: Store, range: SuspenseRange): AsyncGenerator<SuspendedCdr[]> {
  const between = 'after' in range ? suspenseKeys.after(range.after) : betweenMoments(range.from, range.till)
  for await (const page of store.pages({ ...allSuspended, between })) yield page.map(readSuspended)
}

/** The first entries after a place, oldest first. A blank place is the beginning. */
export async function suspendedAfter(store: Store, place: string, count: number): Promise<SuspendedCdr[]> {
  const between = suspenseKeys.after(place)
  return (await store.firstPage({ ...allSuspended, between, pageSize: count })).map(readSuspended)
}

/** The suspended CDRs among these ids. An eventual read may miss the latest entries. */
export async function listSuspendedAmong(
  store: Store,
  ids: readonly string[],
  consistency: Consistency,
): Promise<SuspendedCdr[]> {
  const items = await store.getMany([...new Set(ids)].map(suspenseKeys.item), consistency)
  return items.flatMap((item) => (item ? [readSuspended(item)] : []))
}

const hasSuspended = async (store: Store): Promise<boolean> =>
  (await store.firstPage({ ...allSuspended, pageSize: 1 })).length > 0

/**
 * Removes entries with their parts. An entry that has parts is marked as settled first and removed last: no
 * entry leads to parts that are gone, and after a crash the next removal finds the parts that are left.
 */
export async function removeSuspended(store: Store, cdrs: readonly SuspendedCdr[]): Promise<void> {
  const large = cdrs.filter(({ parts, is_settled }) => parts !== undefined || is_settled)
  await store.putBatch(
    large.map((cdr) => ({ ...keysOf(cdr.id), ...cdr, parts: undefined, is_settled: true })),
  )
  for (const { id } of large) await removeParts(store, id)
  await store.removeBatch(cdrs.map(({ id }) => suspenseKeys.item(id)))
}

async function removeParts(store: Store, id: string): Promise<void> {
  const entry = suspenseKeys.item(id)
  const items = await store.list({ partition: entry.PK })
  const parts = items.map(keyIn).filter((key) => !isSameKey(key, entry))
  await store.removeBatch(parts)
}

/** Beyond this, one read first checks whether suspense has any entry: it saves a read for each CDR. */
const MIN_PARTS_TO_PROBE = 10

const IDENTIFIED: ReadonlySet<Found['kind']> = new Set(['cdr', 'leg', 'dialog_event'])

/** The entries of suspense that CDRs and dialog events have from an earlier document. */
export async function entriesOfParts(
  { store }: MediationContext,
  parts: readonly Part[],
): Promise<SuspendedCdr[]> {
  const identified = parts.filter(({ found: { kind } }) => IDENTIFIED.has(kind))
  if (identified.length > MIN_PARTS_TO_PROBE && !(await hasSuspended(store))) return []
  return listSuspendedAmong(store, identified.map(entryIdOf), 'eventual')
}

/** Removes the entries of CDRs that are no longer suspended. */
export async function removeStored(
  { store }: MediationContext,
  outcomes: readonly PartOutcome[],
  entries: readonly SuspendedCdr[],
): Promise<void> {
  const suspended = new Set(outcomes.filter(isSuspended).map(([part]) => entryIdOf(part)))
  const stored = entries.filter(({ id }) => !suspended.has(id))
  await removeSuspended(store, stored)
}

export const isSuspended = ([, outcome]: PartOutcome): boolean =>
  typeof outcome === 'object' || outcome === 'suspended'
