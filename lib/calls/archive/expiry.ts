import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import pMap from 'p-map'
import * as v from 'valibot'
import { DAY_SECONDS, type Day, type Seconds } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import { absent, is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { table } from '#lib/table/table.ts'
import { type Call, callKeys, sortKeyOfCall } from '../call.ts'
import type { ArchivedObject } from './bucket.ts'
import { callsInFile } from './call-file.ts'
import type { CallCopy } from './day-copies.ts'

const expiringCall = v.object({
  uniqueid: v.string(),
  source: v.optional(v.string()),
  source_part: v.optional(v.string()),
  version: v.number(),
  /** The place of the call in its day. Several calls may have the same. */
  place: v.string(),
})

/** An archived call that the table still has, in the version that is archived. */
export type ExpiringCall = v.InferOutput<typeof expiringCall>

/** The calls of a day that may leave the table, in a local file. */
export function createExpiryList(path: string) {
  let lines: string[] = []
  const flush = () => {
    const file = openSync(path, 'a')
    writeSync(file, lines.join(''))
    closeSync(file)
    lines = []
  }
  return {
    add: (copies: readonly CallCopy[]): void => {
      lines.push(...copies.filter(({ isInTable }) => isInTable).map(({ call }) => lineOf(call)))
      if (lines.length >= LINES_IN_MEMORY) flush()
    },
    async *calls(): AsyncGenerator<ExpiringCall> {
      flush()
      for await (const line of createInterface({ input: createReadStream(path) }))
        yield v.parse(expiringCall, JSON.parse(line))
    },
  }
}

const lineOf = (call: Call): string => `${JSON.stringify(expiringOf(call))}\n`

const expiringOf = (call: Call): ExpiringCall => {
  const { uniqueid, source, source_part, version } = call
  return { uniqueid, source, source_part, version, place: sortKeyOfCall(call) }
}

/** The calls of a day's files from a place on, in the order of that place. Memory holds a row group of each file. */
export async function* expiringFrom(
  files: readonly ArchivedObject[],
  day: Day,
  place: string,
): AsyncGenerator<ExpiringCall> {
  const sources = await openLists(files.map((file) => callsInFile(file, day)))
  for await (const calls of merged(sources, sortKeyOfCall))
    yield* calls.map(expiringOf).filter((call) => call.place >= place)
}

const LINES_IN_MEMORY = 10_000

/**
 * A call stays for another day after it was archived: a process that does not know it yet can still read it, and DynamoDB
 * removes it a few days later at the latest.
 */
const STAYS_SECONDS = DAY_SECONDS

/** Two units each, for the call and its copy in GSI1: at most 2,000 units a second. */
const CALLS_A_SECOND = 1000
/** A killed run repeats at most so many calls. */
export const CALLS_IN_ONE_BATCH = 250
const UPDATES_AT_ONCE = 16

/**
 * Sets the time to live of archived calls, and reports the place of the last one after each batch. Returns the number of those
 * that were changed since they were archived.
 */
export async function expireCalls(
  store: Store,
  expiring: AsyncIterable<ExpiringCall>,
  now: Seconds,
  reached: (place: string, changed: number) => Promise<void>,
): Promise<number> {
  let changed = 0
  for await (const calls of inBatches(expiring, CALLS_IN_ONE_BATCH)) {
    const pause = setTimeout((1000 * calls.length) / CALLS_A_SECOND)
    const failed = await pMap(calls, (call) => expire(store, call, now + STAYS_SECONDS), {
      concurrency: UPDATES_AT_ONCE,
    })
    changed += await countChanged(
      store,
      calls.filter((_, index) => !failed[index]),
    )
    await reached(calls.at(-1)?.place ?? '', changed)
    await pause
  }
  return changed
}

const { timeToLive } = table

/** Returns false for a call that is gone, that was changed, or that has its time to live already. */
function expire(store: Store, call: ExpiringCall, at: Seconds): Promise<boolean> {
  const when = { version: is(call.version), [timeToLive]: absent }
  return hasWritten(store.update(callKeys.item(call), { set: { [timeToLive]: at } }, when))
}

async function countChanged(store: Store, calls: readonly ExpiringCall[]): Promise<number> {
  const items = await store.getMany(calls.map(callKeys.item))
  return calls.filter((call, index) => {
    const item = items[index]
    return item !== undefined && (item['version'] !== call.version || item[timeToLive] === undefined)
  }).length
}
