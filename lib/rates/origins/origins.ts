import * as v from 'valibot'
import { memoize } from '#lib/base/collections.ts'
import { type Column, id } from '#lib/table/columns.ts'
import { listName, tariffKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { prefixOf } from '../code.ts'
import { prefixOfLine } from '../prefix-pages.ts'
import { findLines, type PagedList, type PageFinder, type Version } from '../prefix-versions.ts'
import type { Rate } from '../rating.ts'

// The origins of a tariff: named lists of the first digits of callers (wire.md 7.7).

/** The origin of callers without a usable number. */
export const INVALID = 'invalid'

export const INDETERMINATE = 'indeterminate'

/** The origins by the states of both numbers, in the North American plan. */
export const JURISDICTIONS: readonly string[] = ['intrastate', 'interstate', INDETERMINATE]

/** Origins that every tariff has: their callers are not listed. */
export const RESERVED_ORIGINS: ReadonlySet<string> = new Set([INVALID, ...JURISDICTIONS])

const ORIGIN_NAME = /^[\w-](?:[\w -]{0,38}[\w-])?$/

/** Without tabs and signs, which cells of stored rates separate. */
export const originName: Column<string> = {
  describes: '1 to 40 letters, digits, blanks, - or _',
  schema: v.pipe(v.string(), v.regex(ORIGIN_NAME)),
  fromCell: (cell) => reservedIn(cell.trim().replaceAll(/\s+/g, ' ')),
}

/** A reserved origin in any case. */
function reservedIn(name: string): string {
  const lower = name.toLowerCase()
  return RESERVED_ORIGINS.has(lower) ? lower : name
}

const callerPrefix: Column<string> = {
  describes: '1 to 15 digits, the country code first',
  schema: v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/)),
  fromCell: (cell, dialling) => prefixOf(cell, dialling) ?? cell,
}

export const originColumns = { tariff_id: id, origin: originName, prefix: callerPrefix }

/** A row of origins.csv. */
export interface OriginRow {
  readonly tariff_id: number
  readonly origin: string
  readonly prefix: string
}

/** A row of a list of callers about an origin. */
export type ListedOrigin = Pick<OriginRow, 'origin' | 'prefix'>

/** The partition of the origins of one version of a tariff. Each page is under its first prefix. */
export const originPages = listName('ORIGINS#<id>#<version>')

export const originsOf = memoize(
  (tariffId: number): PagedList => ({
    header: tariffKey(tariffId),
    pages: (version) => originPages(tariffId, version),
  }),
)

/**
 * The lines of origins, `prefix<tab>name<tab>name`, sorted. The names of a prefix ascend by the number of
 * their prefixes, then by name: so one line shows which of them comes first.
 */
export function originLines(rows: Iterable<Pick<OriginRow, 'origin' | 'prefix'>>): string[] {
  const names = new Map<string, Set<string>>()
  const sizes = new Map<string, number>()
  for (const { origin, prefix } of rows) {
    const known = names.get(prefix) ?? new Set()
    if (!known.has(origin)) sizes.set(origin, (sizes.get(origin) ?? 0) + 1)
    names.set(prefix, known.add(origin))
  }
  const sizeOf = (name: string) => sizes.get(name) ?? 0
  const order = (one: string, other: string) => sizeOf(one) - sizeOf(other) || (one < other ? -1 : 1)
  return [...names].map(([prefix, ofPrefix]) => [prefix, ...[...ofPrefix].sort(order)].join('\t')).sort()
}

export const originsInLines = (lines: Iterable<string>): Pick<OriginRow, 'origin' | 'prefix'>[] =>
  [...lines].flatMap((line) => {
    const [prefix = '', ...names] = line.split('\t')
    return names.map((origin) => ({ origin, prefix }))
  })

const NAMES_ORIGIN = /^(?:[^\t]*\t){4}\d[=+]/

export const isOfOrigin = (line: string): boolean => NAMES_ORIGIN.test(line)

export const hasOrigins = (lines: Iterable<string>): boolean => {
  for (const line of lines) if (isOfOrigin(line)) return true
  return false
}

/** An origin of a caller, and its longest prefix that leads the caller's digits. */
export interface OriginOfCaller {
  readonly name: string
  /** Blank for a reserved origin. */
  readonly prefix: string
}

export const versionOfOrigins = memoize(
  (version: Version): Version | undefined => version.origins && { ...version, ...version.origins },
)

/** Finds lines in a version of a list. */
export type LinesFinder = (
  list: PagedList,
  version: Version | undefined,
  digits: string,
) => Promise<readonly string[]>

export const linesWith =
  (store: Store, find?: PageFinder): LinesFinder =>
  (list, version, digits) =>
    findLines(store, list, { version, find }, digits)

/**
 * The origins of lines whose prefixes lead a caller, the shortest first. Origins of the longest
 * prefix come first, then the one with fewer prefixes.
 */
export function originsOfLines(leading: readonly string[]): readonly OriginOfCaller[] {
  const longest = originsInLine(leading.at(-1) ?? '')
  if (leading.length < 2) return longest
  const found = [...longest]
  for (let at = leading.length - 2; at >= 0; at -= 1)
    for (const origin of originsInLine(leading[at] ?? ''))
      if (!found.some(({ name }) => name === origin.name)) found.push(origin)
  return found
}

/** A tariff has few lines of origins, and many callers. */
const originsInLine = memoize((line: string): readonly OriginOfCaller[] => {
  const [prefix = '', ...names] = line.split('\t')
  return names.map((name) => ({ name, prefix }))
})

type OriginOfRate = Pick<Rate, 'prefix' | 'origin' | 'adds'>

/** A rate whose caller's prefix is shared with another rate of its prefix, of an origin of equal size. */
interface Tie {
  readonly origin: string
  readonly line: number
}

/** Finds the rates whose origin is unknown, and pairs between which the prefix of a caller cannot decide. */
export function originChecker(origins: Iterable<string>) {
  const known = new Set(RESERVED_ORIGINS)
  const rows = originsInLines(origins)
  const sizes = new Map<string, number>()
  for (const { origin } of rows) {
    known.add(origin)
    sizes.set(origin, (sizes.get(origin) ?? 0) + 1)
  }
  const ties = tiesAmong(rows, sizes)
  const earlier = new Map<string, Map<string, number>>()
  return {
    isKnown: (origin: string): boolean => origin === '' || known.has(origin),
    /** An earlier rate of the prefix that ties with this one, which the checker notes. */
    tieOf: ({ prefix, origin, adds }: OriginOfRate, line: number): Tie | undefined => {
      const rivals = ties.get(origin)
      if (!rivals) return undefined
      const key = `${prefix} ${adds}`
      const ofPrefix = earlier.get(key) ?? new Map<string, number>()
      earlier.set(key, ofPrefix.set(origin, line))
      const rival = [...rivals].find((one) => ofPrefix.has(one))
      return rival === undefined ? undefined : { origin: rival, line: ofPrefix.get(rival) ?? 0 }
    },
  }
}

/** The reason why rates cannot have these origins, with the first rates; `undefined` if they fit. */
export function originProblem(
  rates: Iterable<string>,
  read: (line: string) => OriginOfRate,
  origins: Iterable<string>,
): string | undefined {
  let check: ReturnType<typeof originChecker> | undefined
  for (const line of rates) {
    if (!isOfOrigin(line)) continue
    check ??= originChecker(origins)
    const rate = read(line)
    if (!check.isKnown(rate.origin)) return unknownOrigin(rate)
    const tie = check.tieOf(rate, 0)
    if (tie) return `the rates of ${rate.prefix} ${tiedOrigins(rate, tie)}`
  }
  return undefined
}

const unknownOrigin = ({ prefix, origin }: OriginOfRate): string =>
  `the rate of ${prefix} has the unknown origin ${JSON.stringify(origin)}: name it in origins.csv`

/** Says why two origins cannot both have a rate of one prefix. */
export const tiedOrigins = ({ origin }: OriginOfRate, tie: Tie): string =>
  `for ${origin} and ${tie.origin} are ambiguous: both origins have a prefix of callers in common, and equally many prefixes`

/** The origins that share a prefix and have equally many. */
function tiesAmong(
  rows: readonly Pick<OriginRow, 'origin' | 'prefix'>[],
  sizes: ReadonlyMap<string, number>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const ties = new Map<string, Set<string>>()
  for (const ofPrefix of Map.groupBy(rows, ({ prefix }) => prefix).values())
    for (const equal of Map.groupBy(ofPrefix, ({ origin }) => sizes.get(origin)).values())
      for (const { origin } of equal.length > 1 ? equal : [])
        ties.set(
          origin,
          new Set([
            ...(ties.get(origin) ?? []),
            ...equal.map((one) => one.origin).filter((one) => one !== origin),
          ]),
        )
  return ties
}

const MAX_GAPS = 3

/**
 * Warns of prefixes without a rate for an origin that a shorter prefix has: there its callers pay another
 * rate, because the longer prefix decides. `lines` are the rates of a tariff, sorted.
 */
export function describeOriginGaps(lines: readonly string[], read: (line: string) => OriginOfRate): string[] {
  const gaps = lines.some(isOfOrigin) ? originGaps(lines, read) : []
  if (gaps.length === 0) return []
  const more = gaps.length > MAX_GAPS ? `; and ${gaps.length - MAX_GAPS} more` : ''
  return [`warning: ${gaps.slice(0, MAX_GAPS).join('; ')}${more}: the longer prefix decides`]
}

function originGaps(lines: readonly string[], read: (line: string) => OriginOfRate): string[] {
  const base = lines
    .map((line) => (isOfOrigin(line) ? read(line) : { prefix: prefixOfLine(line), origin: '', adds: false }))
    .filter(({ adds }) => !adds)
  let shorter: { readonly prefix: string; readonly origins: ReadonlySet<string> }[] = []
  return [...Map.groupBy(base, ({ prefix }) => prefix)].flatMap(([prefix, rates]) => {
    const origins = new Set(rates.map(({ origin }) => origin).filter((origin) => origin !== ''))
    shorter = shorter.filter((one) => prefix.startsWith(one.prefix))
    const above = shorter.flatMap((one) => [...one.origins].map((origin) => [origin, one.prefix] as const))
    shorter.push({ prefix, origins })
    return [...new Map(above)]
      .filter(([origin]) => !origins.has(origin))
      .map(([origin, from]) => `${prefix} has no rate for ${origin}, ${from} has`)
  })
}
