import type { Day } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import type { Item } from './items.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly unknown_archive: { readonly day: Day }
  }
}

/** The calls of archived days, which have left the table. A store that changes calls knows it. */
export interface CallArchive {
  /** The archived calls of a day among these, as items of the table, in any order. */
  find(day: Day, calls: readonly CallIdentity[]): Promise<Item[]>
  /** All archived calls of a day, as items of the table, piece by piece in any order. */
  calls(day: Day): AsyncIterable<Item[]>
}

/** Refuses what needs the calls of an archived day in a process that does not know the archive. */
export function knownArchive(
  { archive }: { readonly archive?: CallArchive | undefined },
  day: Day,
): CallArchive {
  if (archive) return archive
  throw new Refusal('unknown_archive', { day })
}

/** For the `catch` of a mouth that never knows the archive: another refusal names the remedy. */
export const refusingArchived =
  (refusal: Refusal) =>
  (error: unknown): never => {
    throw isRefusal(error, 'unknown_archive') ? refusal : error
  }
