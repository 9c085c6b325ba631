import type { DatasetFile, Entry, Outcome } from '#lib/dataset/format/file.ts'
import { accountsById } from '#lib/dataset/format/references.ts'
import { type Attempt, createCallWriting } from '#lib/rating/call-writing.ts'
import { type CallRow, callColumns } from '#lib/store/calls/call.ts'

/**
 * Billed calls. A unique id may come twice, in one file or in many: the same row changes nothing, another one replaces
 * the call and corrects the counters.
 */
export const calls: DatasetFile<CallRow> = {
  columns: callColumns,
  claims: () => [],
  check: async (entries, world) => {
    const users = await accountsById(
      world,
      entries.map(({ row }) => row.user_id),
    )
    return entries.map(({ row }) => (users.has(row.user_id) ? undefined : noUser(row)))
  },
  write: async (entries, world) => {
    const attempt = await createCallWriting(entries, world)
    const outcomes = new Map<string, Outcome>()
    const refusals = new Map<Entry<CallRow>, Outcome>()
    for (let wanted = lastOfEach(entries); wanted.length > 0; ) {
      await writeAll(attempt, wanted, outcomes)
      for (const entry of wanted) {
        const outcome = outcomes.get(entry.row.uniqueid)
        if (typeof outcome === 'object') refusals.set(entry, outcome)
      }
      const refused = wanted.filter((entry) => refusals.has(entry))
      wanted = lastOfEach(othersOf(refused, entries).filter((entry) => !refusals.has(entry)))
    }
    return entries.map((entry) => refusals.get(entry) ?? outcomes.get(entry.row.uniqueid) ?? KEPT_CHANGING)
  },
}

type CallEntries = readonly Entry<CallRow>[]

async function writeAll(attempt: Attempt, wanted: CallEntries, outcomes: Map<string, Outcome>) {
  let pending = wanted
  for (let attempts = ATTEMPTS; pending.length > 0 && attempts > 0; attempts -= 1) {
    pending = await attempt(pending, outcomes)
  }
}

/** Entries of the calls of which one was refused: it says nothing about the others. */
function othersOf(refused: CallEntries, entries: CallEntries): CallEntries {
  const ids = new Set(refused.map(({ row }) => row.uniqueid))
  return entries.filter(({ row }) => ids.has(row.uniqueid))
}

/** Whoever is in the way has stored something each time, so that hardly anybody gets to the third. */
const ATTEMPTS = 20

const KEPT_CHANGING: Outcome = { refused: 'it kept being changed by others; import it again' }

const noUser = ({ user_id }: CallRow): string => `user_id: there is no account ${user_id}`

/** Of several rows of one call in a batch, the last one counts, as it would if they came one by one. */
const lastOfEach = (entries: readonly Entry<CallRow>[]): Entry<CallRow>[] => [
  ...new Map(entries.map((entry) => [entry.row.uniqueid, entry])).values(),
]
