import { dayOf } from '#lib/domain/calendar.ts'
import type { CallIdentity } from '#lib/domain/calls/call-identity.ts'
import { isArchivedMoment, type Retention } from '#lib/domain/calls/retention.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { UnknownArchive } from '#lib/store/call-archive.ts'
import { type Call, findCalls, identityName, readCall } from '#lib/store/calls/call.ts'
import type { CallTable } from '#lib/store/calls/call-storage.ts'
import type { Store } from '#lib/store/store.ts'

/** The table whose calls are changed, and which of them are in its archive. */
export interface ChangedTable {
  readonly store: Store
  readonly settings: Retention & CallTable['settings']
}

/** A call to find. Its start tells the day whose archive may have it. */
export type SoughtCall = CallIdentity & Pick<Call, 'calldate'>

/** Finds calls in the table, and those of archived days also in the archive. In the order of the identities. */
export async function findStoredCalls(
  table: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<(Call | undefined)[]> {
  const found = await findCalls(table.store, sought)
  const archived = await findArchivedCalls(
    table,
    sought.filter((_, index) => !found[index]),
  )
  return sought.map((identity, index) => found[index] ?? archived.get(identityName(identity)))
}

/** The archived calls among these, by their name. Throws UnknownArchive where the archive has to be asked and is unknown. */
export async function findArchivedCalls(
  { store, settings }: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<ReadonlyMap<string, Call>> {
  const late = sought.filter(({ calldate }) => isArchivedMoment(calldate, settings))
  const archived = new Map<string, Call>()
  for (const [day, ofDay] of groupBy(late, ({ calldate }) => dayOf(calldate, settings.Timezone))) {
    if (!store.archive) throw new UnknownArchive(day)
    const found = (await store.archive.find(day, ofDay)).map(readCall)
    for (const call of found) archived.set(identityName(call), call)
  }
  return archived
}
