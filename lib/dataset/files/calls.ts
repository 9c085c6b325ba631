import pMap from 'p-map'
import { type Day, dayOf, secondsOf } from '#lib/base/calendar.ts'
import { memoize, paired } from '#lib/base/collections.ts'
import { createDigestMap } from '#lib/base/digest.ts'
import { allProblems, kindAfter, type RowKind } from '#lib/base/row-refused.ts'
import { type Call, callColumns, identityName } from '#lib/calls/call.ts'
import { listOwnersOfDays } from '#lib/calls/counters/owners-of-days.ts'
import { decideRecords, isStoredRecord, writeCalls } from '#lib/calls/rating/call-writing.ts'
import { type CallVersion, findStoredCalls } from '#lib/calls/rating/change-calls.ts'
import { MAX_PARALLEL_RATINGS, openRateBook } from '#lib/calls/rating/rate-book.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { checkRows, openRows } from '#lib/dataset/format/row-file.ts'
import { type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { optionalId, type Row } from '#lib/table/columns.ts'
import { accountKey, deviceKey } from '#lib/table/keys.ts'

/** A blank owner_id means the owner that the customer has when the call is stored (wire.md 7.1). */
const columns = { ...callColumns, owner_id: optionalId }

type CallRow = Row<typeof columns>

/**
 * Billed calls. A unique id may occur more than once, in one file or in several. An equal row changes
 * nothing. Another row replaces the call and corrects its counters. Only the customer must exist: devices,
 * providers and the other party may have been deleted before a call arrives.
 */
export const callsFile: RowFormat<CallRow> = {
  columns,
  keyColumns: ['uniqueid'],
  // The numbers of a call are read from the switch again. Files of version 1.0 lack these columns.
  notKept: ['dialled_dst', 'carrier_dst', 'rated_dst', 'carrier_src', 'origin', 'provider_origin'],
  optionalReferences: references({ device_id: deviceKey, dst_user_id: accountKey, dst_device_id: deviceKey }),
  stored: async (rows, context) => {
    const found = paired(rows, await findStoredCalls(context, rows))
    return (row) => found.get(row)
  },
  claims: () => [],
  check: async (entries, context) => {
    const missing = await referenceProblems(context, rowsOf(entries), namedAccounts)
    return ({ row }) => allProblems(missing(row), ...negativePrices(row))
  },
  compare: async (entries, context) => {
    const found = [...paired(entries, await findStoredCalls(context, rowsOf(entries)))]
    const refusals = await foreseenRefusals(found, context)
    const rows = earlierRowsIn(context.named)
    const kindOf = (entry: RowEntry<CallRow>, call: Call | undefined): RowKind => {
      const digest = Buffer.from(entry.digest, 'base64url').readUInt32LE()
      const earlier = rows.swap(identityName(entry.row), digest)
      if (earlier !== undefined) return earlier === digest ? 'unchanged' : 'changed'
      return isStoredRecord(entry, call) ? 'unchanged' : kindAfter(call)
    }
    return found.map(([entry, call]) => {
      const refused = refusals.get(entry)
      return refused === undefined ? kindOf(entry, call) : { refused }
    })
  },
  write: async (entries, context) => {
    const dayOfCall = ({ calldate }: Pick<CallRow, 'calldate'>) => dayOf(calldate, context.calendar.zone)
    const isEmpty = await findEmptyDays(rowsOf(entries).map(dayOfCall), context)
    const isNew = ({ row }: CallVersion) => isEmpty(dayOfCall(row))
    const now = secondsOf(context.clock())
    return paired(entries, await writeCalls(context.store, entries.map(withoutKeptOwner), isNew, now))
  },
}

const PRICES = ['user_price', 'reseller_price', 'provider_price'] as const

/** A negative price would pay the customer for a call. A credit note does that. */
const negativePrices = (row: CallRow): string[] =>
  PRICES.filter((name) => row[name]?.startsWith('-')).map(
    (name) => `${name} is ${row[name]}: a price is 0 or more`,
  )

/** The files by which calls are rated, and may become other calls than those of now. */
const DECIDING: readonly string[] = [
  'settings',
  'currencies',
  'users',
  'tariffs',
  'rates',
  'providers',
  'devices',
  'device_rules',
  'location_rules',
]

/** Rows that the import would refuse by the table. Rows that earlier files may yet decide are counted. */
async function foreseenRefusals(
  found: readonly (readonly [RowEntry<CallRow>, Call | undefined])[],
  context: ImportContext,
): Promise<ReadonlyMap<RowEntry<CallRow>, string>> {
  const versions = found.map(([entry, before]) => ({ entry, before, version: withoutKeptOwner(entry) }))
  const book = await openRateBook(context.store, rowsOf(found.map(([entry]) => entry)), context.settings)
  const isUndecided = DECIDING.some((file) => context.newRows.files.includes(file))
  const refused = new Map<RowEntry<CallRow>, string>()
  await pMap(
    versions,
    async ({ entry, before, version }) => {
      const seen = { identity: entry.row, input: [version], before }
      const problem = (await decideRecords(book, seen)).refused.get(version)
      if (problem && isUndecided) undecidedIn(context.named).count += 1
      else if (problem) refused.set(entry, problem.detail)
    },
    { concurrency: MAX_PARALLEL_RATINGS },
  )
  return refused
}

/** The calls of a dry run that only the import can rate, after the files before them. */
const undecidedIn = memoize((_import: ImportContext['named']) => ({ count: 0 }))

function undecidedRemarks({ named }: ImportContext): string[] {
  const { count } = undecidedIn(named)
  return count === 0
    ? []
    : [
        `${count} calls could not be rated by what is stored: the import rates them after the files before calls`,
      ]
}

/** Digest starts of the rows a dry run has compared, by call name: a file may repeat a call anywhere. */
const earlierRowsIn = memoize((_import: ImportContext['named']) => createDigestMap())

const namedAccounts = references({ user_id: accountKey, owner_id: accountKey })

/**
 * Customers have a few calls a day, and each transaction counts them once: with more rows at once, fewer
 * transactions count for the same customer.
 */
const ROWS_AT_ONCE = 5000

export async function checkCalls(job: FileJob): Promise<CheckedFile> {
  const checked = await checkRows(openRows(callsFile, job, ROWS_AT_ONCE))
  return {
    ...checked,
    remarks: async (context) => [...((await checked.remarks?.(context)) ?? []), ...undecidedRemarks(context)],
  }
}

/** Whether the days of calls had none before the import, as far as that was asked. */
const emptyDaysIn = memoize((_import: ImportContext['named']) => new Map<Day, boolean>())

/** Finds the days without calls, once for each day. Calls of empty days need not be read. */
async function findEmptyDays(
  days: readonly Day[],
  { store, named }: ImportContext,
): Promise<(day: Day) => boolean> {
  const empty = emptyDaysIn(named)
  const unknown = [...new Set(days)].filter((day) => !empty.has(day)).sort()
  const [from, till] = [unknown[0], unknown.at(-1)]
  if (from !== undefined && till !== undefined) {
    const owners = await listOwnersOfDays(store, { from, till })
    for (const day of unknown) empty.set(day, !owners.has(day))
  }
  return (day) => empty.get(day) === true
}

/** A stored owner_id is not kept: a call that moves to another customer gets that customer's owner. */
const withoutKeptOwner = ({ row, kept, digest }: RowEntry<CallRow>) => ({
  row: kept.includes('owner_id') ? { ...row, owner_id: undefined } : row,
  digest,
})
