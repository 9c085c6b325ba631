import * as v from 'valibot'
import { groupBy } from '#lib/domain/collections.ts'
import { isFormat } from '#lib/intake/formats.ts'
import { REASONS } from '#lib/intake/record.ts'
import type { RecordStore } from './record-store.ts'
import { type Delivery, deliveryName, deliveryOf, isSourceName } from './switches/delivery.ts'
import { type IntakeWorld, openIntakeWorld } from './switches/intake-world.ts'
import { keepAside } from './switches/suspending.ts'
import { takeDocuments } from './switches/take-document.ts'

/** A JSON text in a cell; a message has no lists or objects in it. */
const json = <T extends v.GenericSchema>(schema: T) => v.pipe(v.string(), v.parseJson(), schema)

/** A document of a switch on its way through the queue. */
const schema = v.object({
  format: v.pipe(v.string(), v.check(isFormat, 'is not a format')),
  source: v.pipe(v.string(), v.check(isSourceName, 'is not the name of a switch')),
  document: v.string(),
  /** In which its clock texts are; the installation's where it is not said. */
  zone: v.optional(v.string()),
  columns: v.optional(json(v.array(v.string()))),
  mapping: v.optional(json(v.record(v.string(), v.string()))),
  /** Why it is to be kept in suspense unread. */
  reason: v.optional(v.picklist(REASONS)),
  detail: v.optional(v.string()),
})

/** A document of a switch, as it is put into the queue. */
export type QueuedDocument = v.InferInput<typeof schema>

type Arrived = v.InferOutput<typeof schema>

/**
 * Takes in documents of switches, each in its own format. None is refused for what it says: what cannot be stored is kept
 * in suspense. Refused is only what does not say from where it comes.
 */
export const switchRecords: RecordStore = async (records, { store, clock }) => {
  const world = await openIntakeWorld(store, clock())
  const read = records.map((cells) => v.safeParse(schema, cells))
  const arrived = read.flatMap(({ success, output }) => (success ? [output] : []))
  const inZone = ({ zone, ...one }: Arrived) => ({ ...one, zone: zone || world.settings.Timezone })
  for (const some of groupBy(arrived.map(inZone), deliveryName).values()) await takeTogether(world, some)
  return read.map(({ issues }) => issues && reasonOf(issues[0]))
}

const reasonOf = ({ path, message }: v.BaseIssue<unknown>): string =>
  `${path?.map(({ key }) => String(key)).join('.')}: ${message}`

async function takeTogether(
  world: IntakeWorld,
  some: readonly (Arrived & { readonly zone: string })[],
): Promise<void> {
  const delivery = some[0] && deliveryOf(some[0])
  if (!delivery) return
  await takeDocuments(
    world,
    delivery,
    some.filter(({ reason }) => reason === undefined).map(({ document }) => document),
  )
  await keepAside(
    world,
    some.flatMap((one) => unread(delivery, one)),
  )
}

const unread = (delivery: Delivery, { document, reason, detail = '' }: Arrived) =>
  reason === undefined ? [] : [{ delivery, document, problem: { reason, detail } }]
