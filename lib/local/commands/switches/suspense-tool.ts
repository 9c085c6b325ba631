import { formatDateTime, hoursSince } from '#lib/domain/calendar.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { reasonOf } from '#lib/mediation/formats/cdr.ts'
import { type Mediation, openMediation } from '#lib/mediation/mediation.ts'
import { enforceAgeLimits, reasonsCuredBy, retryEntries } from '#lib/mediation/retry.ts'
import {
  findSuspended,
  removeSuspended,
  type SuspendedCdr,
  suspendedText,
} from '#lib/store/calls/suspense.ts'
import type { Store } from '#lib/store/store.ts'
import { type SuspenseFilter, suspendedPages } from './suspense-filter.ts'
import { type SwitchWish, switchWritesAs } from './switch-wish.ts'

/** Columns of the list and their widths. */
const COLUMNS = [
  ['id', 24],
  ['age', 8],
  ['switch', 12],
  ['reason', 24],
  ['call start', 19],
  ['calling number', 18],
  ['called number', 18],
] as const

/** A table of suspended CDRs, oldest first, and how many there are. */
export async function* describeSuspense(
  mediation: Mediation,
  filter: SuspenseFilter,
): AsyncGenerator<string> {
  await enforceAgeLimits(mediation)
  let count = 0
  for await (const entry of entriesOf(mediation, filter)) {
    if (count === 0) yield rowOf([...COLUMNS.map(([name]) => name), 'detail'])
    count += 1
    yield rowOf(cellsOf(mediation, entry))
  }
  yield `${count} suspended`
}

const rowOf = (cells: readonly string[]): string =>
  cells
    .map((cell, place) => cell.padEnd(COLUMNS[place]?.[1] ?? 0))
    .join('  ')
    .trimEnd()

function cellsOf(mediation: Mediation, entry: SuspendedCdr): string[] {
  const { id, source, reason, detail, start, src = '', dst = '' } = entry
  const at = start === undefined ? '' : formatDateTime(start, mediation.settings.Timezone)
  return [id, ageOf(mediation, entry), source, reasonOf(reason), at, src, dst, detail].map(escaped)
}

/** Control characters as `\u001b`: data of a switch must not steer a terminal. Line feeds and tabs of a text stay. */
const escaped = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${code}`
  })

const escapedLines = (text: string): string => text.split('\n').map(escaped).join('\n')

/** Everything about a suspended CDR, its own text last. */
export async function showSuspended(mediation: Mediation, id: string): Promise<string[]> {
  const entry = await entryNamed(mediation, id)
  const { reason, detail, source, format, tries, object } = entry
  return [
    `${reasonOf(reason)}: ${escaped(detail)}`,
    `from ${source} as ${format}, ${ageOf(mediation, entry)} old, tried ${tries} times`,
    ...(object === undefined ? [] : [`too large for suspense: it is kept as ${escaped(object)}`]),
    escapedLines(await suspendedText(mediation.store, entry)),
  ]
}

/** Retries suspended CDRs; the wish says how their switch writes where they came with something else. */
export async function retrySuspense(
  mediation: Mediation,
  filter: SuspenseFilter,
  wish: SwitchWish = {},
): Promise<string> {
  const writesAs = switchWritesAs(wish)
  await enforceAgeLimits(mediation)
  let [stored, suspended] = [0, 0]
  for await (const page of suspendedPages(mediation, filter)) {
    const outcome = await retryEntries(
      mediation,
      page.map((entry) => ({ ...entry, ...writesAs })),
    )
    stored += outcome.stored
    suspended += outcome.suspended
  }
  return `${stored} ${stored === 1 ? 'CDR' : 'CDRs'} left suspense, ${suspended} still suspended`
}

/** The result of a retry after an import of these files; `undefined` if there was nothing to retry. */
export async function retryAfterImport(
  store: Store,
  files: readonly string[],
  now: Date,
): Promise<string | undefined> {
  const reasons = reasonsCuredBy(files)
  if (reasons.length === 0) return undefined
  const outcome = await retrySuspense(await openMediation(store, now), { reasons })
  return outcome === NOTHING_TRIED ? undefined : `suspense: ${outcome}`
}

const NOTHING_TRIED = '0 CDRs left suspense, 0 still suspended'

/** Gives a suspended CDR up for good. */
export async function dropSuspended(mediation: Mediation, id: string): Promise<string> {
  const entry = await entryNamed(mediation, id)
  await removeSuspended(mediation.store, [entry])
  return `Dropped ${id} (${reasonOf(entry.reason)}: ${escaped(entry.detail)})`
}

/** Gives up all matching CDRs after their number is agreed to. Throws CommandError otherwise. */
export async function dropAll(
  mediation: Mediation,
  filter: SuspenseFilter,
  agreed: (count: number) => Promise<boolean>,
): Promise<string> {
  const entries: SuspendedCdr[] = []
  for await (const entry of entriesOf(mediation, filter)) entries.push(entry)
  if (entries.length === 0) return 'No suspended CDR matches'
  if (!(await agreed(entries.length)))
    throw new CommandError(`Nothing was dropped (${entries.length} match): pass --yes`)
  await removeSuspended(mediation.store, entries)
  return `Dropped ${entries.length} CDRs`
}

async function entryNamed({ store }: Mediation, id: string): Promise<SuspendedCdr> {
  const entry = /^[0-9a-f]{24}$/.test(id) ? await findSuspended(store, id) : undefined
  if (!entry) throw new CommandError(`There is no suspended CDR ${id}: npm run suspense -- list shows all`)
  return entry
}

async function* entriesOf(mediation: Mediation, filter: SuspenseFilter) {
  for await (const page of suspendedPages(mediation, filter)) yield* page
}

function ageOf({ now }: Mediation, { first_seen }: SuspendedCdr): string {
  const hours = hoursSince(first_seen, now)
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}
