import type { Reason } from '#lib/intake/record.ts'
import { listSuspended, placeOf, type Suspended } from '#lib/store/calls/suspense.ts'
import type { Store } from '#lib/store/store.ts'
import type { IntakeWorld } from './intake-world.ts'
import { type Retried, retrySuspended, suspendOverdue } from './retry-suspended.ts'

const [BY_OWNER, BY_RATE] = [['nobody’s call', 'not rated'], ['not rated']] as const

/** What an import of a file may cure, by the name of the file. */
const CURES: Readonly<Record<string, readonly Reason[]>> = {
  settings: BY_OWNER,
  users: BY_OWNER,
  devices: BY_OWNER,
  dids: BY_OWNER,
  currencies: BY_RATE,
  tariffs: BY_RATE,
  rates: BY_RATE,
  providers: BY_RATE,
}

/** Why records are in suspense that an import of these files may have cured. */
export const reasonsCuredBy = (files: readonly string[]): readonly Reason[] => [
  ...new Set(files.flatMap((file) => (Object.hasOwn(CURES, file) ? (CURES[file] ?? []) : []))),
]

/** Which records are tried again, for none of no reason, and behind which place of the list. */
export interface Retry {
  readonly reasons: readonly string[]
  readonly after: string
}

/** What came of it, and behind which place another one goes on; `undefined` when all were tried. */
export interface RetriedLots extends Retried {
  readonly next: string | undefined
}

/**
 * Tries records once more that are in suspense for these reasons, the oldest first, a lot at a time while there is time
 * for another one. Both ends of a call are joined when they are in the same lot. Before that, ends that have waited too long
 * for the other one go to suspense.
 */
export async function retryLots(
  world: IntakeWorld,
  { reasons, after }: Retry,
  hasTime: () => boolean,
): Promise<RetriedLots> {
  if (after === '') await suspendOverdue(world)
  let [cured, left] = [0, 0]
  if (reasons.length === 0) return { cured, left, next: undefined }
  for await (const { lot, last } of lotsOf(world.store, after)) {
    const meant = lot.filter(({ reason }) => reasons.includes(reason))
    const outcome = await retrySuspended(world, meant)
    cured += outcome.cured
    left += outcome.left
    if (!hasTime()) return { cured, left, next: last }
  }
  return { cured, left, next: undefined }
}

interface Lot {
  readonly lot: readonly Suspended[]
  /** The place of its last record. */
  readonly last: string
}

/** At once in memory: this many records, or characters of their documents, and a page of the list. */
const MOST_RECORDS = 2000
const MOST_CHARACTERS = 30_000_000

async function* lotsOf(store: Store, after: string): AsyncGenerator<Lot> {
  let [lot, characters]: [Suspended[], number] = [[], 0]
  for await (const page of listSuspended(store, { after })) {
    for (const record of page) {
      lot.push(record)
      characters += record.document.length
      if (lot.length < MOST_RECORDS && characters < MOST_CHARACTERS) continue
      yield { lot, last: placeOf(record) }
      ;[lot, characters] = [[], 0]
    }
  }
  const last = lot.at(-1)
  if (last) yield { lot, last: placeOf(last) }
}
