import pMap from 'p-map'
import type { Entry, ImportWorld, Outcome } from '#lib/dataset/format/file.ts'
import { RowRefused } from '#lib/dataset/format/refusals.ts'
import { dayOf } from '#lib/domain/calendar.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { type Call, type CallRow, findCalls } from '#lib/store/calls/call.ts'
import { type CallChange, storeCalls } from '#lib/store/calls/call-storage.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'
import { createOwnership, findCustomers } from './call-parties.ts'
import { createCallRating } from './call-rating.ts'

type CallEntry = Entry<CallRow>

/** Notes what came of each entry, by unique id; answers those whose call has changed since it was read. */
export type Attempt = (entries: readonly CallEntry[], outcomes: Map<string, Outcome>) => Promise<CallEntry[]>

const RATED_AT_ONCE = 16

/** For one batch: settings, accounts and tariffs are as they are on its arrival. */
export async function createCallWriting(
  entries: readonly CallEntry[],
  { store }: ImportWorld,
): Promise<Attempt> {
  const prepare = await createPreparing(entries, store)

  return async (pending, outcomes) => {
    const known = await findCalls(store, pending.map(uniqueidOf))
    const prepareOne = (entry: CallEntry, position: number) =>
      prepare(entry, known[position]).catch(refusalIn)
    const prepared = await pMap(pending, prepareOne, { concurrency: RATED_AT_ONCE })
    const missed = await storeCalls(store, prepared.filter(isChange))
    for (const [position, entry] of pending.entries()) {
      outcomes.set(uniqueidOf(entry), outcomeOf(prepared[position] ?? 'unchanged'))
    }
    const again = new Set(missed.map(({ after }) => after.uniqueid))
    return pending.filter((entry) => again.has(uniqueidOf(entry)) && outcomes.delete(uniqueidOf(entry)))
  }
}

type Prepared = CallChange | Outcome

async function createPreparing(entries: readonly CallEntry[], store: Store) {
  const settings = readSettings(await findSettings(store))
  const customers = await findCustomers(
    store,
    entries.map(({ row }) => row.user_id),
  )
  const rate = createCallRating(store, settings)
  const belongingOf = createOwnership(store)

  return async ({ row, digest }: CallEntry, before: Call | undefined): Promise<Prepared> => {
    if (before?.digest === digest) return 'unchanged'
    const customer = customers.get(row.user_id)
    if (!customer) throw new RowRefused(`user_id: there is no account ${row.user_id}`)
    const belonging = await belongingOf(customer, before)
    const { owner_id, direct } = belonging
    const rated = await rate(row, belonging)
    const day = dayOf(row.calldate, settings.Timezone)
    return { before, after: { ...rated, owner_id, direct, day, digest, version: (before?.version ?? 0) + 1 } }
  }
}

const uniqueidOf = ({ row }: CallEntry): string => row.uniqueid

const isChange = (prepared: Prepared): prepared is CallChange =>
  typeof prepared === 'object' && 'after' in prepared

const outcomeOf = (prepared: Prepared): Outcome => (isChange(prepared) ? 'written' : prepared)

function refusalIn(error: unknown): Outcome {
  if (error instanceof RowRefused) return { refused: error.message }
  throw error
}
