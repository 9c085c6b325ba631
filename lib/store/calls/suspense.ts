import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { slices } from '#lib/domain/collections.ts'
import type { Item } from '#lib/store/items.ts'
import { betweenMoments, isSameKey, type Key, keyForm, keyIn, momentPlace } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** CDRs that could not be stored, listed by when they came first. A large text is in parts beside its entry. */
export const suspenseKeys = {
  item: keyForm('SUSPENSE#<id>', 'SUSPENSE'),
  part: keyForm('SUSPENSE#<id>', 'TEXT#<digest>#<part>'),
  all: 'SUSPENSE',
  place: momentPlace,
  between: betweenMoments,
  /** Everything behind a place. */
  after: (place: string): readonly [from: string, to: string] => [`${place} `, '~'],
}

// Shape

/** How a CDR document came, so that its text can be read again. */
export const documentColumns = {
  format: v.string(),
  source: v.string(),
  zone: v.string(),
  columns: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  mapping: v.optional(v.pipe(v.record(v.string(), v.string()), v.readonly())),
}

const schema = v.object({
  ...documentColumns,
  id: v.string(),
  reason: v.string(),
  detail: v.string(),
  /** In Unix seconds. */
  first_seen: v.number(),
  /** Among the CDRs that were suspended together, the place in which it came. */
  order: v.optional(v.number()),
  last_tried: v.number(),
  tries: v.number(),
  /** Of the call, where the CDR could be read. */
  start: v.optional(v.number()),
  src: v.optional(v.string()),
  dst: v.optional(v.string()),
  /** Of the whole text in UTF-8. */
  bytes: v.optional(v.number()),
  /** Where the text is when it is too large for the table: an object of the bucket or a file. */
  object: v.optional(v.string()),
  /** The text in UTF-8, deflated. */
  packed: v.optional(v.instance(Uint8Array)),
  /** Larger texts are packed into parts beside the entry: their digest and their number. */
  parts: v.optional(v.object({ digest: v.string(), count: v.number() })),
  /** The CDR has its place, and the entry stays until its parts are removed. */
  is_settled: v.optional(v.boolean()),
  /** Entries of earlier versions have the plain text, perhaps without its end. */
  document: v.optional(v.string()),
  cut: v.optional(v.boolean(), false),
})

/** An entry of suspense: a CDR that cannot be stored yet, and why. `suspendedText` has its text. */
export type SuspendedCdr = v.InferOutput<typeof schema>

const readSuspended = (item: Item): SuspendedCdr => v.parse(schema, item)

// Access patterns

export async function findSuspended(store: Store, id: string): Promise<SuspendedCdr | undefined> {
  const item = await store.get(suspenseKeys.item(id))
  return item && readSuspended(item)
}

/** A CDR to suspend, with its text; blank where `object` says where the text is. */
export type NewSuspendedCdr = Omit<
  SuspendedCdr,
  'first_seen' | 'tries' | 'packed' | 'parts' | 'is_settled' | 'document' | 'cut'
> & { readonly text: string; readonly first_seen?: number | undefined }

const IN_ONE_BATCH = 25

/** Adds entries. One that is there already keeps its age and its whole text. */
export async function putSuspended(store: Store, cdrs: readonly NewSuspendedCdr[]): Promise<void> {
  const each = [...new Map(cdrs.map((cdr) => [cdr.id, cdr])).values()]
  for (const some of slices(each, IN_ONE_BATCH)) {
    const stored = await store.getMany(some.map(({ id }) => suspenseKeys.item(id)))
    const known = stored.map((item) => item && readSuspended(item))
    const items: Key[] = []
    for (const [place, cdr] of some.entries()) items.push(await itemOf(store, cdr, known[place]))
    await store.putBatch(items)
    store.meter.note('suspended', known.filter((entry) => entry === undefined).length)
  }
}

async function itemOf(store: Store, { text, ...cdr }: NewSuspendedCdr, known: SuspendedCdr | undefined) {
  const first_seen = known?.first_seen ?? cdr.first_seen ?? cdr.last_tried
  const kept = keptText(known, { text, ...cdr }) ?? (await stored(store, cdr.id, text))
  return {
    ...keysOf(first_seen, cdr.id),
    ...cdr,
    ...kept,
    first_seen,
    order: known ? known.order : cdr.order,
    tries: (known?.tries ?? 0) + 1,
  }
}

const keysOf = (first_seen: number, id: string) => ({
  ...suspenseKeys.item(id),
  GSI1PK: suspenseKeys.all,
  GSI1SK: suspenseKeys.place(first_seen, id),
})

/**
 * The text of an entry stays together with what is needed to read it. A CDR that comes again in another format, zone or
 * order of columns brings a text of its own.
 */
function keptText(known: SuspendedCdr | undefined, cdr: NewSuspendedCdr) {
  if (!known || known.is_settled || known.cut || known.object !== undefined) return undefined
  if (cdr.text !== '' && !isDeepStrictEqual(wayToRead(known), wayToRead(cdr))) return undefined
  const { packed, parts, document } = known
  return { ...wayToRead(known), object: undefined, packed, parts, document }
}

const wayToRead = ({ format, source, zone, columns, mapping }: SuspendedCdr | NewSuspendedCdr) => ({
  ...{ format, source, zone, columns, mapping },
})

/** Packed bytes that stand in the entry itself, and so are read with every list. */
const MOST_BYTES_IN_ENTRY = 4000

/** Below DynamoDB's 400 KB for an item. */
const BYTES_OF_A_PART = 350_000

/** The parts are there before the entry that leads to them. */
async function stored(store: Store, id: string, text: string) {
  const packed = deflateRawSync(text)
  if (packed.length <= MOST_BYTES_IN_ENTRY) return { packed }
  const digest = createHash('sha256').update(packed).digest('hex').slice(0, 16)
  const count = Math.ceil(packed.length / BYTES_OF_A_PART)
  const items = Array.from({ length: count }, (_, part) => ({
    ...suspenseKeys.part(id, digest, part),
    packed: packed.subarray(part * BYTES_OF_A_PART, (part + 1) * BYTES_OF_A_PART),
  }))
  await store.putBatch(items)
  return { parts: { digest, count } }
}

/** The whole text; blank when it is outside of the table. */
export async function suspendedText(store: Store, cdr: SuspendedCdr): Promise<string> {
  if (cdr.packed) return inflated([cdr.packed])
  if (!cdr.parts) return cdr.document ?? ''
  const { digest, count } = cdr.parts
  const keys = Array.from({ length: count }, (_, part) => suspenseKeys.part(cdr.id, digest, part))
  const items = await store.getMany(keys)
  return inflated(items.map((item) => v.parse(v.instance(Uint8Array), item?.['packed'])))
}

const inflated = (parts: readonly Uint8Array[]): string => inflateRawSync(Buffer.concat(parts)).toString()

/** A stretch of the list: Unix seconds of when CDRs came first, or all that stand behind a place. */
export type SuspenseStretch = { readonly from: number; readonly till: number } | { readonly after: string }

export const placeOf = ({ first_seen, id }: SuspendedCdr): string => suspenseKeys.place(first_seen, id)

/** Oldest first, page by page. */
export async function* listSuspended(store: Store, stretch: SuspenseStretch): AsyncGenerator<SuspendedCdr[]> {
  const between =
    'after' in stretch ? suspenseKeys.after(stretch.after) : suspenseKeys.between(stretch.from, stretch.till)
  for await (const page of store.pages({ index: 'GSI1', partition: suspenseKeys.all, between })) {
    yield page.map(readSuspended)
  }
}

/** The entries of ids, each once. It reads eventually, at half the price: an entry of this moment may be missed. */
export async function listSuspendedAmong(store: Store, ids: readonly string[]): Promise<SuspendedCdr[]> {
  const items = await store.getMany([...new Set(ids)].map(suspenseKeys.item), 'eventual')
  return items.flatMap((item) => (item ? [readSuspended(item)] : []))
}

export async function hasSuspended(store: Store): Promise<boolean> {
  const pages = store.pages({ index: 'GSI1', partition: suspenseKeys.all, pageSize: 1 })
  for await (const page of pages) return page.length > 0
  return false
}

/**
 * Removes entries with their parts. An entry that has parts is marked as settled first and removed last: no entry leads to
 * parts that are gone, and after a crash the next removal finds the parts that are left.
 */
export async function removeSuspended(store: Store, cdrs: readonly SuspendedCdr[]): Promise<void> {
  const large = cdrs.filter(({ parts, is_settled }) => parts !== undefined || is_settled)
  const marked = large.map((cdr) => ({
    ...keysOf(cdr.first_seen, cdr.id),
    ...cdr,
    parts: undefined,
    is_settled: true,
  }))
  for (const some of slices(marked, IN_ONE_BATCH)) await store.putBatch(some)
  for (const { id } of large) await removeParts(store, id)
  const entries = cdrs.map(({ id }) => suspenseKeys.item(id))
  for (const some of slices(entries, IN_ONE_BATCH)) await store.removeBatch(some)
}

async function removeParts(store: Store, id: string): Promise<void> {
  const entry = suspenseKeys.item(id)
  const items = await store.list({ partition: entry.PK })
  const parts = items.map(keyIn).filter((key) => !isSameKey(key, entry))
  for (const some of slices(parts, IN_ONE_BATCH)) await store.removeBatch(some)
}
