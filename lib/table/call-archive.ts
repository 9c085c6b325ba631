import type { Day } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import type { Item } from './items.ts'

/** The calls of archived days, which have left the table. A store that changes calls knows it. */
export interface CallArchive {
  /** The archived calls of a day among these, as items of the table, in any order. */
  find(day: Day, calls: readonly CallIdentity[]): Promise<Item[]>
  /** All archived calls of a day, as items of the table, piece by piece in any order. */
  calls(day: Day): AsyncIterable<Item[]>
}

/** Calls before a day are archived, and this process does not know where. Nothing is stored. */
export class UnknownArchive extends Error {
  constructor(day: Day) {
    super(
      `calls of ${day} are archived, and this process does not know the archive: set ARCHIVE_BUCKET to its bucket`,
    )
    this.name = 'UnknownArchive'
  }
}
