import type { Problem } from '#lib/intake/check.ts'
import { FORMATS } from '#lib/intake/formats.ts'
import type { Found, Piece } from '#lib/intake/record.ts'
import type { Delivery } from './delivery.ts'
import type { IntakeWorld } from './intake-world.ts'
import { keepAside, type Unstorable } from './suspending.ts'
import { type Taken, takeCalls } from './take-calls.ts'
import { takeEvents } from './take-events.ts'
import { takeHalves } from './take-halves.ts'

/** How many records of a document came to what. */
export interface TakenCounts {
  readonly stored: number
  readonly known: number
  readonly waiting: number
  readonly suspended: number
}

/**
 * Takes in documents of a switch: what is a call is stored for its customer, one end of a call waits for the other, and
 * everything else is kept in suspense with its reason. The same documents again change nothing.
 */
export async function takeDocuments(
  world: IntakeWorld,
  delivery: Delivery,
  documents: readonly string[],
): Promise<TakenCounts> {
  const pieces = documents.flatMap((document) => FORMATS[delivery.format](document, delivery.origin))
  const taken = await takePieces(world, delivery, pieces)
  const problems = pieces.flatMap((piece): Unstorable[] => {
    const problem = taken.get(piece)
    return typeof problem === 'object' ? [{ delivery, document: piece.document, problem }] : []
  })
  await keepAside(world, problems)
  const count = (what: Taken) => [...taken.values()].filter((one) => one === what).length
  return {
    stored: count('stored'),
    known: count('known'),
    waiting: count('waiting'),
    suspended: problems.length,
  }
}

/** Answers what came of each piece; those that cannot be stored are not kept in suspense yet. */
export async function takePieces(
  world: IntakeWorld,
  delivery: Delivery,
  pieces: readonly Piece[],
): Promise<ReadonlyMap<Piece, Taken>> {
  const taken = new Map<Piece, Taken>(pieces.map((piece) => [piece, problemIn(piece.found)]))
  const note = (some: readonly Piece[], outcomes: readonly Taken[]) => {
    for (const [place, outcome] of outcomes.entries()) taken.set(some[place] as Piece, outcome)
  }
  const calls = pieces.filter(isCall)
  const reported = calls.map(({ found, document }) => ({ call: found.call, document }))
  note(calls, await takeCalls(world, delivery.origin.source, reported))
  const halves = pieces.filter(isHalf)
  const ends = halves.map(({ found, document }) => ({ half: found.half, document }))
  note(halves, await takeHalves(world, delivery, ends))
  const events = pieces.filter(isEvent)
  const happened = events.map(({ found }) => found.event)
  note(events, await takeEvents(world, delivery.origin.source, happened))
  return taken
}

type Of<K extends Found['kind']> = Piece & { readonly found: Extract<Found, { readonly kind: K }> }

const isCall = (piece: Piece): piece is Of<'call'> => piece.found.kind === 'call'
const isHalf = (piece: Piece): piece is Of<'half'> => piece.found.kind === 'half'
const isEvent = (piece: Piece): piece is Of<'event'> => piece.found.kind === 'event'

const problemIn = (found: Found): Problem =>
  found.kind === 'refused'
    ? { reason: found.reason, detail: found.detail }
    : { reason: 'not of its format', detail: 'it is not a record of a call' }
