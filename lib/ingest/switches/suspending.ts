import { createHash } from 'node:crypto'
import type { Problem } from '#lib/intake/check.ts'
import { type Suspended, suspend } from '#lib/store/calls/suspense.ts'
import type { Delivery } from './delivery.ts'
import type { IntakeWorld } from './intake-world.ts'

/** The text of one record, how it was delivered, and why it cannot be stored. */
export interface Unstorable {
  readonly delivery: Delivery
  readonly document: string
  readonly problem: Problem
}

/** Keeps records in suspense that cannot be stored. The same record is kept once. */
export const keepAside = (world: IntakeWorld, records: readonly Unstorable[]): Promise<void> =>
  suspend(
    world.store,
    records.map((record) => suspendedOf(world, record)),
  )

/** An item of the table has room for 400 KB; a character may take four bytes. */
export const LONGEST_KEPT = 90_000

function suspendedOf(
  { now }: IntakeWorld,
  { delivery: { format, origin }, document, problem: { reason, detail } }: Unstorable,
): Omit<Suspended, 'first_seen' | 'tries'> {
  const { source, zone, columns, mapping } = origin
  return {
    id: idOf(`${source}\0${format}\0${document}`),
    format,
    source,
    zone,
    columns,
    mapping,
    document: document.slice(0, LONGEST_KEPT),
    cut: document.length > LONGEST_KEPT || reason === 'too large',
    reason,
    detail: detail.slice(0, 1000),
    last_tried: now,
  }
}

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24)
