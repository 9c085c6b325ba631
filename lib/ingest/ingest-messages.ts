import type { Cells } from '#lib/dataset/cells/source.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { Reasons } from '#lib/domain/row-refused.ts'
import { RowRefused, reasonIn } from '#lib/domain/row-refused.ts'
import { type Message, readMessage } from './message.ts'
import { messageKinds } from './message-kinds.ts'
import type { RecordStore } from './record-store.ts'

export interface Delivered {
  readonly id: string
  readonly body: string
}

/** A message is refused for what is in it; it fails for what happened to the table or on the way there. */
export interface Failure {
  readonly outcome: 'refused' | 'failed'
  readonly reason: string
}

/** Why a message is to be delivered again, and in the end to the dead-letter queue, by its id. */
export type Failures = Map<string, Failure>

interface Parcel {
  readonly id: string
  readonly into: RecordStore
  readonly records: readonly Cells[]
}

/**
 * Stores what the messages carry, those of one kind together. A message fails alone: for what is wrong with it, whatever
 * the others are like. Its records that can be stored are, and are known again when it comes back.
 */
export async function ingestMessages(delivered: readonly Delivered[], world: ImportWorld): Promise<Failures> {
  const failures: Failures = new Map()
  const parcels = delivered.flatMap((one) => {
    const parcel = toParcel(one)
    if (typeof parcel !== 'string') return [parcel]
    failures.set(one.id, { outcome: 'refused', reason: parcel })
    return []
  })
  for (const together of byStore(parcels)) await storeParcels(together, world, failures)
  return failures
}

/** What the message carries, or why that cannot be told. */
function toParcel({ id, body }: Delivered): Parcel | string {
  try {
    const message = readMessage(body)
    const { into, records } = kindOf(message)
    return { id, into, records: records(message) }
  } catch (error) {
    return reasonIn(error)
  }
}

function kindOf({ type }: Message) {
  const kind = Object.hasOwn(messageKinds, type) ? messageKinds[type] : undefined
  if (!kind) throw new RowRefused(`has the type ${JSON.stringify(type.slice(0, 40))}, which is unknown`)
  return kind
}

function byStore(parcels: readonly Parcel[]): Parcel[][] {
  const groups = new Map<RecordStore, Parcel[]>()
  for (const parcel of parcels) groups.set(parcel.into, [...(groups.get(parcel.into) ?? []), parcel])
  return [...groups.values()]
}

/** What DynamoDB refuses of one record, or what our code stumbles over, must not hold up the others. */
async function storeParcels(
  parcels: readonly Parcel[],
  world: ImportWorld,
  failures: Failures,
): Promise<void> {
  try {
    await storeTogether(parcels, world, failures)
  } catch (error) {
    if (parcels.length > 1 && isFaultOfARecord(error)) await storeEachAlone(parcels, world, failures)
    else failAll(parcels, error, failures)
  }
}

async function storeEachAlone(parcels: readonly Parcel[], world: ImportWorld, failures: Failures) {
  for (const parcel of parcels) await storeParcels([parcel], world, failures)
}

function failAll(parcels: readonly Parcel[], error: unknown, failures: Failures): void {
  const outcome = isFaultOfARecord(error) ? 'refused' : 'failed'
  for (const { id } of parcels) failures.set(id, { outcome, reason: reasonOf(error) })
}

const RECORDS_AT_ONCE = 1000

async function storeTogether(
  parcels: readonly Parcel[],
  world: ImportWorld,
  failures: Failures,
): Promise<void> {
  const all = parcels.flatMap(({ id, records }) => records.map((record) => ({ id, record })))
  for (let from = 0; from < all.length; from += RECORDS_AT_ONCE) {
    const some = all.slice(from, from + RECORDS_AT_ONCE)
    const reasons = await storeOf(parcels)(
      some.map(({ record }) => record),
      world,
    )
    noteReasons(some, reasons, failures)
  }
}

const storeOf = ([first]: readonly Parcel[]): RecordStore => first?.into ?? (async () => [])

function noteReasons(
  records: readonly { readonly id: string }[],
  reasons: Reasons,
  failures: Failures,
): void {
  for (const [position, { id }] of records.entries()) {
    const reason = reasons[position]
    if (reason !== undefined && !failures.has(id)) failures.set(id, { outcome: 'refused', reason })
  }
}

/** What comes from the network, or from AWS's client about a table under load, says nothing about a record. */
const isFaultOfARecord = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'ValidationException' || !('$metadata' in error || 'code' in error))

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
