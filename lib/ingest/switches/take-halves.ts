import { createHash } from 'node:crypto'
import pMap from 'p-map'
import { groupBy } from '#lib/domain/collections.ts'
import { dialogOf, type Joined, joined } from '#lib/intake/formats/sip-dialog.ts'
import { FORMATS, isFormat } from '#lib/intake/formats.ts'
import { uniqueIdOf } from '#lib/intake/identity.ts'
import type { Half, SwitchCall } from '#lib/intake/record.ts'
import { findCalls } from '#lib/store/calls/call.ts'
import { listHalvesOf, putHalves, removeHalves, type StoredHalf } from '#lib/store/calls/sip-half.ts'
import type { Delivery } from './delivery.ts'
import type { IntakeWorld } from './intake-world.ts'
import { keepAside } from './suspending.ts'
import { type Taken, takeCalls } from './take-calls.ts'

/** One end of a call, and the text that it was read from. */
export interface ReportedHalf {
  readonly half: Half
  readonly document: string
}

const DIALOGS_AT_ONCE = 8

/**
 * Takes in ends of calls of one proxy. An end is stored first, and joined with whatever is there then: of two ends that
 * arrive at the same time the later one finds the other. Answers what came of each.
 */
export async function takeHalves(
  world: IntakeWorld,
  delivery: Delivery,
  reported: readonly ReportedHalf[],
): Promise<Taken[]> {
  const dialogs = [...groupBy(reported, ({ half }) => dialogOf(half)).values()]
  const taken = new Map<ReportedHalf, Taken>()
  const takeOne = async (ends: readonly ReportedHalf[]) => {
    const outcome = await takeDialog(world, delivery, ends)
    for (const end of ends) taken.set(end, outcome)
  }
  await pMap(dialogs, takeOne, { concurrency: DIALOGS_AT_ONCE })
  return reported.map((end) => taken.get(end) ?? 'waiting')
}

async function takeDialog(
  world: IntakeWorld,
  delivery: Delivery,
  ends: readonly ReportedHalf[],
): Promise<Taken> {
  const [first] = ends
  if (!first || (await isStored(world, delivery.origin.source, first.half))) return 'known'
  const given = ends.map((end) => asStored(delivery, end))
  await putHalves(world.store, given)
  const there = await listHalvesOf(world.store, given[0]?.dialog ?? '')
  const outcome = await settleDialog(world, there)
  if (typeof outcome !== 'string') {
    const others = there.filter(({ place }) => !given.some((one) => one.place === place))
    await keepAside(
      world,
      others.map((half) => ({ ...deliveredAs(half), problem: outcome })),
    )
  }
  return outcome
}

/**
 * Makes a call of the ends of one dialog, if they are one; they are gone then, and also when no call can be made of them.
 * Answers what came of it.
 */
export async function settleDialog(world: IntakeWorld, there: readonly StoredHalf[]): Promise<Taken> {
  const outcome = await outcomeOf(world, there)
  if (outcome !== 'waiting') await removeHalves(world.store, there)
  return outcome
}

async function outcomeOf(world: IntakeWorld, there: readonly StoredHalf[]): Promise<Taken> {
  const [first] = there
  const halves = there.flatMap(halfIn)
  const hours = world.settings.Intake_Join_Hours ?? DEFAULT_HOURS
  const outcome = joined(halves, { now: world.now, hours })
  if (outcome.kind === 'waiting' || !first) return 'waiting'
  if (outcome.kind !== 'call') return orphan(world, first.source, { halves, reason: outcome.kind, hours })
  const call = identified(outcome.call, first.source, first.dialog)
  const [taken = 'waiting'] = await takeCalls(world, first.source, [{ call, document: JSON.stringify(call) }])
  return taken
}

const DEFAULT_HOURS = 24

interface Orphan {
  readonly halves: readonly Half[]
  readonly reason: Exclude<Joined['kind'], 'call' | 'waiting'>
  readonly hours: number
}

/** An end that was left behind when its call was stored is nothing to worry about. */
async function orphan(world: IntakeWorld, source: string, { halves, reason, hours }: Orphan): Promise<Taken> {
  const [first] = halves
  if (first && (await isStored(world, source, first))) return 'known'
  return { reason, detail: `the other end of the call did not come within ${hours} hours` }
}

const identified = (call: SwitchCall, source: string, dialog: string): SwitchCall => ({
  ...call,
  uniqueid: uniqueIdOf(call.uniqueid, source, dialog),
})

async function isStored({ store }: IntakeWorld, source: string, half: Half): Promise<boolean> {
  const uniqueid = uniqueIdOf(half.callId, source, dialogDigest(source, half))
  const source_part = half.tags.toSorted().join(' ')
  return (await findCalls(store, [{ uniqueid, source, source_part }]))[0] !== undefined
}

const dialogDigest = (source: string, half: Half): string =>
  createHash('sha256')
    .update(`${source}\0${dialogOf(half)}`)
    .digest('hex')
    .slice(0, 40)

const asStored = ({ format, origin }: Delivery, { half, document }: ReportedHalf): StoredHalf => ({
  format,
  ...origin,
  columns: origin.columns && [...origin.columns],
  mapping: undefined,
  document,
  dialog: dialogDigest(origin.source, half),
  place: `${half.tells}#${half.at}#${half.sipStatus}`,
  at: half.at,
})

/** The text is read again: what is kept is what the proxy said. */
function halfIn(stored: StoredHalf): Half[] {
  const { delivery, document } = deliveredAs(stored)
  return FORMATS[delivery.format](document, delivery.origin).flatMap(({ found }) =>
    found.kind === 'half' ? [found.half] : [],
  )
}

/** How an end that waits was delivered. */
export function deliveredAs({ format, document, source, zone, columns }: StoredHalf) {
  const known = isFormat(format) ? format : 'kamailio-json'
  return { delivery: { format: known, origin: { source, zone, ...(columns && { columns }) } }, document }
}
