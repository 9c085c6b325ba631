import { chargesOf } from '#lib/base/balance.ts'
import { addDays, type Day, EVERY_DAY } from '#lib/base/calendar.ts'
import { subtract, ZERO } from '#lib/base/money.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { openCallArchive } from '#lib/calls/archive/call-archive.ts'
import { talliesIn } from '#lib/calls/archive/day-sums.ts'
import { type Manifest, readManifest } from '#lib/calls/archive/manifest.ts'
import { type Call, isCall, readCall } from '#lib/calls/call.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { negative } from '#lib/calls/counters/statistics.ts'
import { isArchivedDay, type Retention } from '#lib/calls/retention.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { chargedTo } from './balance-rules.ts'
import { addsToDay, isLeaving, talliesOfCall } from './call-rules.ts'
import type { Expectation } from './expectation.ts'

/** Calls that came after their day was archived. The archive may have earlier versions of them. */
export const lateCallsAmong = (items: readonly Item[], settings: Retention): Call[] =>
  settings.archivedBefore === undefined
    ? []
    : items
        .filter((item) => isCall(item) && !isLeaving(item))
        .map(readCall)
        .filter(({ day }) => isArchivedDay(day, settings))

/** The manifests of archived days add up to their counters, together with the late calls of the table. */
export async function* archiveExpectations(
  store: Store,
  bucket: ArchiveBucket,
  { archivedBefore }: Retention,
  late: readonly Call[],
): AsyncGenerator<Expectation> {
  if (archivedBefore === undefined) return
  const lateOn = Map.groupBy(late, ({ day }) => day)
  const till = addDays(archivedBefore, -1)
  for (const { day } of await listDaysOfCalls(store, 'everyone', { from: EVERY_DAY.from, till })) {
    const stored = await readManifest(bucket, day)
    if (!stored) continue
    yield* manifestTotals(stored.manifest)
    const lateCalls = lateOn.get(day) ?? []
    if (lateCalls.length === 0) yield* await filesOf(bucket, stored.manifest)
    yield* await replacedTotals(bucket, day, lateCalls)
  }
}

const manifestTotals = (manifest: Manifest): Expectation[] => [
  ...addsToDay(talliesIn(manifest), manifest.day),
  ...Object.entries(manifest.charged).map(([account, adds]) => chargedTo(account, { adds })),
]

/** The table has a later version of these calls, which counts in their place. */
async function replacedTotals(
  bucket: ArchiveBucket,
  day: Day,
  late: readonly Call[],
): Promise<Expectation[]> {
  if (late.length === 0) return []
  const replaced = (await openCallArchive(bucket).find(day, late)).map(readCall)
  return replaced.flatMap((call) => [
    ...addsToDay(
      talliesOfCall(call).map(([scope, tally]) => [scope, negative(tally)]),
      day,
    ),
    ...chargesOf(call).map(([account, price]) => chargedTo(account, { adds: subtract(ZERO, price) })),
  ])
}

/** A run that takes in late calls may end between the files and the manifest. The next one writes both. */
async function filesOf(bucket: ArchiveBucket, { day, files }: Manifest): Promise<Expectation[]> {
  const found = await Promise.all(
    files.map(async (file) => ({ ...file, object: await bucket.open(file.key) })),
  )
  const differing = found.filter(({ bytes, object }) => object?.bytes !== bytes)
  return differing.map(({ key, bytes, object }) => ({
    wrong: `${key} has ${object?.bytes ?? 'no'} bytes, but the manifest of ${day} says ${bytes}: run npx tollgate archive run.`,
  }))
}
