import pMap from 'p-map'
import { DAY_SECONDS, hoursSince } from '#lib/domain/calendar.ts'
import {
  listSuspended,
  placeOf,
  removeSuspended,
  type SuspendedCdr,
  suspendedText,
} from '#lib/store/calls/suspense.ts'
import type { Store } from '#lib/store/store.ts'
import { suspendOverdue } from './correlate.ts'
import { type CdrDocument, isFormat, type Reason, reasonOf } from './formats/cdr.ts'
import { isSuspended, mediateParts, partsOf, refusedIn } from './mediate.ts'
import type { Mediation } from './mediation.ts'
import { entryIdOf, suspendParts } from './suspend.ts'

/** How many CDRs left suspense, and how many are still suspended. */
export interface Retried {
  readonly stored: number
  readonly suspended: number
}

const TEXTS_AT_ONCE = 8

/**
 * Mediates suspended CDRs once more. Those that have their place now leave suspense; the others stay, with the reason of
 * today. Both events of a dialog are correlated when they are among the same entries.
 */
export async function retryEntries(mediation: Mediation, entries: readonly SuspendedCdr[]): Promise<Retried> {
  const whole = entries.filter(canBeRead).toSorted(byArrival)
  const read = async (entry: SuspendedCdr) => [
    ...partsOf(mediation, await documentsOf(mediation.store, entry)),
  ]
  const parts = await pMap(whole, read, { concurrency: TEXTS_AT_ONCE })
  const entryOf = new Map(parts.flatMap((some, place) => some.map((part) => [part, whole[place]] as const)))
  const outcomes = await mediateParts(mediation, parts.flat())
  const refused = refusedIn(outcomes).map((one) => ({
    ...one,
    first_seen: entryOf.get(one.part)?.first_seen,
  }))
  await suspendParts(mediation, refused)

  const open = [...outcomes].filter(isSuspended).map(([part]) => part)
  const suspended = new Set(open.map(entryIdOf))
  await removeSuspended(
    mediation.store,
    whole.filter(({ id }) => !suspended.has(id)),
  )
  const left = new Set(open.map((part) => entryOf.get(part))).size + entries.length - whole.length
  return { stored: entries.length - left, suspended: left }
}

/** Of several contents of one call the last one to arrive is stored. */
const byArrival = (one: SuspendedCdr, other: SuspendedCdr): number =>
  one.first_seen - other.first_seen || (one.order ?? 0) - (other.order ?? 0)

/** An entry of a later version may have a format that is unknown here: it stays. */
const canBeRead = ({ cut, object, format }: SuspendedCdr): boolean =>
  !cut && object === undefined && isFormat(format)

/** The document of an entry; nothing where its format is unknown, or its CDR has its place. */
export async function documentsOf(store: Store, entry: SuspendedCdr): Promise<CdrDocument[]> {
  const { format, source, zone, columns, mapping } = entry
  if (!isFormat(format) || entry.is_settled) return []
  return [{ format, source, zone, columns, mapping, text: await suspendedText(store, entry) }]
}

const [BY_ACCOUNT, BY_RATE] = [['unknown_account', 'unknown_rate'], ['unknown_rate']] as const

/** The reasons that an import may cure, by the name of the file. */
const CURES: Readonly<Record<string, readonly Reason[]>> = {
  settings: BY_ACCOUNT,
  users: BY_ACCOUNT,
  devices: BY_ACCOUNT,
  dids: BY_ACCOUNT,
  currencies: BY_RATE,
  tariffs: BY_RATE,
  rates: BY_RATE,
  providers: BY_RATE,
}

/** The reasons of suspense that an import of these files may have cured. */
export const reasonsCuredBy = (files: readonly string[]): readonly Reason[] => [
  ...new Set(files.flatMap((file) => (Object.hasOwn(CURES, file) ? (CURES[file] ?? []) : []))),
]

/** Which CDRs are retried, and behind which place of the list. With no reasons given, nothing is retried. */
export interface Retry {
  readonly reasons: readonly string[]
  readonly after: string
}

/** The result, and the position where the next run resumes; `undefined` when all were retried. */
export interface RetriedLots extends Retried {
  readonly next: string | undefined
}

/**
 * Retries what is suspended for these reasons, oldest first, a lot at a time while there is time for another one. The first
 * run also does what is due: it suspends dialog events that have been pending too long, and removes entries that are too old.
 */
export async function retryLots(
  mediation: Mediation,
  { reasons, after }: Retry,
  hasTime: () => boolean,
): Promise<RetriedLots> {
  if (after === '') await doWhatIsDue(mediation)
  let [stored, suspended] = [0, 0]
  if (reasons.length === 0) return { stored, suspended, next: undefined }
  const wanted = new Set(reasons.map(reasonOf))
  for await (const { lot, last } of lotsOf(mediation.store, after)) {
    const outcome = await retryEntries(
      mediation,
      lot.filter(({ reason }) => wanted.has(reasonOf(reason))),
    )
    stored += outcome.stored
    suspended += outcome.suspended
    if (!hasTime()) return { stored, suspended, next: last }
  }
  return { stored, suspended, next: undefined }
}

interface Lot {
  readonly lot: readonly SuspendedCdr[]
  /** The place of its last entry. */
  readonly last: string
}

/** At once in memory: this many entries, or bytes of their texts, and a page of the list. */
const MOST_ENTRIES = 2000
const MOST_BYTES = 30_000_000

async function* lotsOf(store: Store, after: string): AsyncGenerator<Lot> {
  let [lot, bytes]: [SuspendedCdr[], number] = [[], 0]
  for await (const page of listSuspended(store, { after })) {
    for (const entry of page) {
      lot.push(entry)
      bytes += bytesOf(entry)
      if (lot.length < MOST_ENTRIES && bytes < MOST_BYTES) continue
      yield { lot, last: placeOf(entry) }
      ;[lot, bytes] = [[], 0]
    }
  }
  const last = lot.at(-1)
  if (last) yield { lot, last: placeOf(last) }
}

const bytesOf = ({ bytes, document = '' }: SuspendedCdr): number => bytes ?? document.length

/** Suspends dialog events that are overdue, and removes entries older than Suspense_Days. Answers how many of each. */
export async function doWhatIsDue(
  mediation: Mediation,
): Promise<{ readonly overdue: number; readonly expired: number }> {
  const { store, settings, now } = mediation
  const overdue = await suspendOverdue(mediation)
  const days = settings.Suspense_Days ?? 0
  let expired = 0
  if (days === 0) return { overdue, expired }
  for await (const page of listSuspended(store, { from: 0, till: now - days * DAY_SECONDS })) {
    await removeSuspended(store, page)
    expired += page.length
  }
  return { overdue, expired }
}

/** How many CDRs are suspended, and for how many hours the oldest of them. It reads the whole list. */
export async function measureSuspense({ store, now }: Mediation): Promise<{
  readonly suspense_entries: number
  readonly suspense_oldest_hours: number
}> {
  let [entries, oldest] = [0, now]
  for await (const page of listSuspended(store, { from: 0, till: now })) {
    oldest = Math.min(oldest, ...page.slice(0, 1).map(({ first_seen }) => first_seen))
    entries += page.length
  }
  return { suspense_entries: entries, suspense_oldest_hours: hoursSince(oldest, now) }
}
