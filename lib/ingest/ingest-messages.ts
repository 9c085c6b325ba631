import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { groupBy, slices } from '#lib/domain/collections.ts'
import { type Reasons, RowRefused, reasonIn } from '#lib/domain/row-refused.ts'
import { isTransient } from '#lib/store/requests/retries.ts'
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
export type Failures = ReadonlyMap<string, Failure>

/** The first failure of a message stands. */
type Failed = readonly (readonly [id: string, failure: Failure])[]

const firstOfEach = (failed: Failed): Failures => new Map(failed.toReversed())

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
  const opened = delivered.map(open)
  const failed: Failed[] = opened.map((one) => ('reason' in one ? [refused(one)] : []))
  const parcels = opened.filter((one) => 'into' in one)
  for (const together of groupBy(parcels, ({ into }) => into).values()) {
    failed.push(await storeParcels(together, world))
  }
  return firstOfEach(failed.flat())
}

/** The records of a message, or the reason why it has none. */
function open({ id, body }: Delivered): Parcel | { id: string; reason: string } {
  try {
    const message = readMessage(body)
    const { into, records } = kindOf(message)
    return { id, into, records: records(message) }
  } catch (error) {
    return { id, reason: reasonIn(error) }
  }
}

const refused = ({ id, reason }: { id: string; reason: string }): Failed[number] => [
  id,
  { outcome: 'refused', reason },
]

function kindOf({ type }: Message) {
  const kind = Object.hasOwn(messageKinds, type) ? messageKinds[type] : undefined
  if (!kind) throw new RowRefused(`has the type ${JSON.stringify(type.slice(0, 40))}, which is unknown`)
  return kind
}

/** A record that DynamoDB refuses, or that our code fails on, must not delay the others. */
async function storeParcels(parcels: readonly Parcel[], world: ImportWorld): Promise<Failed> {
  try {
    return await storeTogether(parcels, world)
  } catch (error) {
    if (parcels.length > 1 && !isTransient(error)) return storeEachAlone(parcels, world)
    return failAll(parcels, error)
  }
}

async function storeEachAlone(parcels: readonly Parcel[], world: ImportWorld): Promise<Failed> {
  const failed: Failed[] = []
  for (const parcel of parcels) failed.push(await storeParcels([parcel], world))
  return failed.flat()
}

function failAll(parcels: readonly Parcel[], error: unknown): Failed {
  const outcome = isTransient(error) ? 'failed' : 'refused'
  return parcels.map(({ id }) => [id, { outcome, reason: reasonOf(error) }])
}

const RECORDS_AT_ONCE = 1000

async function storeTogether(parcels: readonly Parcel[], world: ImportWorld): Promise<Failed> {
  const all = parcels.flatMap(({ id, records }) => records.map((record) => ({ id, record })))
  const failed: Failed[] = []
  for (const some of slices(all, RECORDS_AT_ONCE)) {
    const records = some.map(({ record }) => record)
    failed.push(refusedOf(some, await storeOf(parcels)(records, world)))
  }
  return failed.flat()
}

const storeOf = ([first]: readonly Parcel[]): RecordStore => first?.into ?? (async () => [])

const refusedOf = (records: readonly { readonly id: string }[], reasons: Reasons): Failed =>
  records.flatMap(({ id }, position) => {
    const reason = reasons[position]
    return reason === undefined ? [] : [refused({ id, reason })]
  })

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
