import { createHash } from 'node:crypto'
import pMap from 'p-map'
import { groupBy, slices } from '#lib/domain/collections.ts'
import { dialogOf, type Joined, joined } from '#lib/intake/formats/sip-dialog.ts'
import { FORMATS, isFormat } from '#lib/intake/formats.ts'
import { uniqueIdOf } from '#lib/intake/identity.ts'
import type { Half, SwitchCall } from '#lib/intake/record.ts'
import { findCalls } from '#lib/store/calls/call.ts'
import { listHalvesOf, putHalves, removeHalves, type StoredHalf } from '#lib/store/calls/sip-half.ts'
import type { Delivery } from './delivery.ts'
import type { IntakeWorld } from './intake-world.ts'
import { keepAside } from './suspending.ts'
import { type ReportedCall, type Taken, takeCalls } from './take-calls.ts'

/** One end of a call, and the text that it was read from. */
export interface ReportedHalf {
  readonly half: Half
  readonly document: string
}

const DIALOGS_AT_ONCE = 500
const QUERIES_AT_ONCE = 16

type Dialog<End> = readonly End[]

/**
 * Takes in ends of calls of one proxy. An end is stored first, and joined with whatever is there then: of two ends that
 * arrive at the same time the later one finds the other. Answers what came of each.
 */
export async function takeHalves(
  world: IntakeWorld,
  delivery: Delivery,
  reported: readonly ReportedHalf[],
): Promise<Taken[]> {
  const taken = new Map<ReportedHalf, Taken>()
  const dialogs = groupBy(reported, ({ half }) => dialogOf(half)).values()
  for (const some of slices(dialogs, DIALOGS_AT_ONCE)) {
    const outcomes = await takeDialogs(world, delivery, some)
    for (const [place, ends] of some.entries())
      for (const end of ends) taken.set(end, outcomes[place] ?? 'waiting')
  }
  return reported.map((end) => taken.get(end) ?? 'waiting')
}

async function takeDialogs(
  world: IntakeWorld,
  delivery: Delivery,
  dialogs: readonly Dialog<ReportedHalf>[],
): Promise<Taken[]> {
  const firsts = dialogs.flatMap(([first]) => (first ? [first.half] : []))
  const stored = await areStored(world, delivery.origin.source, firsts)
  const open = dialogs.filter((_, place) => !stored[place])
  const outcomes = (await joinStored(world, delivery, open)).values()
  return dialogs.map((_, place) => (stored[place] ? 'known' : (outcomes.next().value ?? 'waiting')))
}

async function joinStored(
  world: IntakeWorld,
  delivery: Delivery,
  dialogs: readonly Dialog<ReportedHalf>[],
): Promise<Taken[]> {
  const given = dialogs.map((ends) => ends.map((end) => asStored(delivery, end)))
  await putHalves(world.store, given.flat())
  const endsOf = ([first]: Dialog<StoredHalf>) => listHalvesOf(world.store, first?.dialog ?? '')
  const there = await pMap(given, endsOf, { concurrency: QUERIES_AT_ONCE })
  const outcomes = await settleDialogs(world, there)
  await keepAside(
    world,
    there.flatMap((ends, place) => unjoined(ends, given[place] ?? [], outcomes[place])),
  )
  return outcomes
}

/** Of ends that no call can be made of: those that came before. What came now is kept aside by who brought it. */
const unjoined = (there: Dialog<StoredHalf>, given: Dialog<StoredHalf>, outcome: Taken | undefined) =>
  typeof outcome === 'object'
    ? there
        .filter(({ place }) => !given.some((one) => one.place === place))
        .map((half) => ({ ...deliveredAs(half), problem: outcome }))
    : []

/**
 * Makes calls of the ends of dialogs of one switch, where they are one; the ends are gone then, and also when no call can be
 * made of them. Answers what came of each dialog.
 */
export async function settleDialogs(
  world: IntakeWorld,
  dialogs: readonly Dialog<StoredHalf>[],
): Promise<Taken[]> {
  const prepare = (there: Dialog<StoredHalf>) => preparedOf(world, there)
  const prepared = await pMap(dialogs, prepare, { concurrency: QUERIES_AT_ONCE })
  const calls = prepared.filter((one) => typeof one === 'object' && 'call' in one)
  const outcomes = (await takeCalls(world, dialogs[0]?.[0]?.source ?? '', calls)).values()
  const settled = prepared.map(
    (one): Taken => (typeof one === 'object' && 'call' in one ? (outcomes.next().value ?? 'waiting') : one),
  )
  await removeHalves(world.store, dialogs.filter((_, place) => settled[place] !== 'waiting').flat())
  return settled
}

async function preparedOf(world: IntakeWorld, there: Dialog<StoredHalf>): Promise<ReportedCall | Taken> {
  const [first] = there
  const halves = there.flatMap(halfIn)
  const hours = world.settings.Intake_Join_Hours ?? DEFAULT_HOURS
  const outcome = joined(halves, { now: world.now, hours })
  if (outcome.kind === 'waiting' || !first) return 'waiting'
  if (outcome.kind !== 'call') return orphan(world, first.source, { halves, reason: outcome.kind, hours })
  const call = identified(outcome.call, first.source, first.dialog)
  return { call, document: JSON.stringify(call) }
}

const DEFAULT_HOURS = 24

interface Orphan {
  readonly halves: readonly Half[]
  readonly reason: Exclude<Joined['kind'], 'call' | 'waiting'>
  readonly hours: number
}

/** An end that was left behind when its call was stored is nothing to worry about. */
async function orphan(world: IntakeWorld, source: string, { halves, reason, hours }: Orphan): Promise<Taken> {
  const [isStored] = await areStored(world, source, halves.slice(0, 1))
  if (isStored) return 'known'
  return { reason, detail: `the other end of the call did not come within ${hours} hours` }
}

const identified = (call: SwitchCall, source: string, dialog: string): SwitchCall => ({
  ...call,
  uniqueid: uniqueIdOf(call.uniqueid, source, dialog),
})

async function areStored(
  { store }: IntakeWorld,
  source: string,
  halves: readonly Half[],
): Promise<boolean[]> {
  const identities = halves.map((half) => ({
    uniqueid: uniqueIdOf(half.callId, source, dialogDigest(source, half)),
    source,
    source_part: half.tags.toSorted().join(' '),
  }))
  return (await findCalls(store, identities)).map((call) => call !== undefined)
}

const dialogDigest = (source: string, half: Half): string =>
  createHash('sha256')
    .update(`${source}\0${dialogOf(half)}`)
    .digest('hex')
    .slice(0, 40)

const asStored = ({ format, origin }: Delivery, { half, document }: ReportedHalf): StoredHalf => ({
  format,
  ...origin,
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
