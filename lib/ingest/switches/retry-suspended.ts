import { groupBy } from '#lib/domain/collections.ts'
import { FORMATS } from '#lib/intake/formats.ts'
import type { Piece } from '#lib/intake/record.ts'
import { listHalves, type StoredHalf } from '#lib/store/calls/sip-half.ts'
import { removeSuspended, type Suspended } from '#lib/store/calls/suspense.ts'
import { deliveryName, deliveryOf } from './delivery.ts'
import type { IntakeWorld } from './intake-world.ts'
import { keepAside } from './suspending.ts'
import type { Taken } from './take-calls.ts'
import { takePieces } from './take-document.ts'
import { deliveredAs, settleDialogs } from './take-halves.ts'

/** How many records left suspense, and how many stay. */
export interface Retried {
  readonly cured: number
  readonly left: number
}

/**
 * Takes records in suspense in once more. Those that are stored now, or were meanwhile, leave it; the others stay, with
 * the reason of today. Records of one switch are taken in together: both ends of a call may be among them.
 */
export async function retrySuspended(world: IntakeWorld, records: readonly Suspended[]): Promise<Retried> {
  let cured = 0
  for (const some of groupBy(records, deliveryName).values()) cured += await retryDelivery(world, some)
  return { cured, left: records.length - cured }
}

async function retryDelivery(world: IntakeWorld, records: readonly Suspended[]): Promise<number> {
  const delivery = records[0] && deliveryOf(records[0])
  if (!delivery) return 0
  const whole = records.filter(({ cut }) => !cut)
  const pieces = whole.map(({ document }) => FORMATS[delivery.format](document, delivery.origin))
  const taken = await takePieces(world, delivery, pieces.flat())
  const problems = whole.map((_, place) => problemOf(pieces[place] ?? [], taken))
  const cured = whole.filter((_, place) => problems[place] === undefined)
  const left = whole.flatMap(({ document }, place) => {
    const problem = problems[place]
    return problem ? [{ delivery, document, problem }] : []
  })
  await keepAside(world, left)
  await removeSuspended(
    world.store,
    cured.map(({ id }) => id),
  )
  return cured.length
}

function problemOf(pieces: readonly Piece[], taken: ReadonlyMap<Piece, Taken>) {
  const outcomes = pieces.map((piece) => taken.get(piece))
  return outcomes.find((outcome) => typeof outcome === 'object')
}

const ENDS_AT_ONCE = 1000

/** Ends of calls whose other end did not come in time go to suspense. Answers how many do. */
export async function suspendOverdue(world: IntakeWorld): Promise<number> {
  let overdue = 0
  let ends: StoredHalf[] = []
  for await (const half of listHalves(world.store)) {
    if (ends.length >= ENDS_AT_ONCE && ends.at(-1)?.dialog !== half.dialog) {
      overdue += await settleOverdue(world, ends)
      ends = []
    }
    ends.push(half)
  }
  return overdue + (await settleOverdue(world, ends))
}

async function settleOverdue(world: IntakeWorld, ends: readonly StoredHalf[]): Promise<number> {
  let overdue = 0
  for (const some of groupBy(ends, ({ source }) => source).values()) {
    const dialogs = [...groupBy(some, ({ dialog }) => dialog).values()]
    const outcomes = await settleDialogs(world, dialogs)
    const late = dialogs.flatMap((dialog, place) => {
      const problem = outcomes[place]
      return typeof problem === 'object' ? dialog.map((half) => ({ ...deliveredAs(half), problem })) : []
    })
    await keepAside(world, late)
    overdue += late.length
  }
  return overdue
}
