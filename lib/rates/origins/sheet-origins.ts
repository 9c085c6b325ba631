import { createHash } from 'node:crypto'
import { rowRefused } from '#lib/base/row-refused.ts'
import { countryCodeOf, isCountryCode } from '../code.ts'
import { type ColumnIndices, type Header, isSurchargeHeading } from '../sheets/columns.ts'
import { isDashUnclear, prefixesOf } from '../sheets/dial-codes.ts'
import { type Profile, SURCHARGES } from '../sheets/profile.ts'
import type { Question } from '../sheets/question.ts'
import { INVALID, JURISDICTIONS, type OriginRow } from './origins.ts'

// The callers whom a row of a rate sheet charges, and the amounts that are added for them.

/** The origin of a row for a prefix: a name, and the callers that the cell lists. */
export interface OriginOfRow {
  readonly origin: string
  readonly callers: readonly string[]
}

const OF_INVALID = /^(?:anonymous|withheld|unknown|invalid|no cli|without cli|missing|malformed)$/
const OF_EVERYONE = /^(?:|-|\*|other|others|rest|row|rest of world|rest of the world|all|any|default)$/
const OF_COUNTRY = /^(?:in country|in-country|national|domestic|on net country)$/
const CODES = /^\+?\d[\d\s,;/+.-]*$/

/** Reads the cell of an origin. Other words than these name an origin of the tariff or of the profile. */
export function originOfCell(cell: string, prefix: string, profile: Profile): OriginOfRow {
  const word = cell.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const named = profile.origin_names?.[cell.trim()] ?? profile.origin_names?.[word]
  if (named !== undefined) return { origin: named, callers: [] }
  if (OF_EVERYONE.test(word)) return { origin: '', callers: [] }
  if (OF_INVALID.test(word)) return { origin: INVALID, callers: [] }
  if (JURISDICTIONS.includes(word)) return { origin: word, callers: [] }
  if (OF_COUNTRY.test(word)) {
    const country = countryCodeOf(prefix)
    return { origin: `national ${country}`, callers: [country] }
  }
  return CODES.test(word) ? originOfCodes(cell, profile) : { origin: cell.trim(), callers: [] }
}

const MAX_NAME = 40

/** The most callers' prefixes in a cell. */
const MAX_CODES = 1000

/** An origin of listed codes is named by them, or by the first and a digest of all. */
function originOfCodes(cell: string, profile: Profile): OriginOfRow {
  const prefixes = callerPrefixesIn(cell, profile)
  if (prefixes.length > MAX_CODES) throw rowRefused(`its origin has more than ${MAX_CODES} codes`)
  const callers = [...new Set(prefixes)].sort()
  const name = callers.join(' ')
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return { origin: name.length <= MAX_NAME ? name : `${callers[0]} and more ${digest}`, callers }
}

const CALLER_PREFIX = /^[1-9]\d{0,14}$/

/** `49 43` may be two countries, and `44 1481` is one code. `1 242` is an area of the first one. */
const AFTER_BLANK = /(?<=\d[ .]+)(?<!\b1[ .]+)\d+/g

/** The prefixes of callers in a cell. Throws refused_row for an unclear dash or blank, and other codes. */
export function callerPrefixesIn(cell: string, { dash }: Profile): readonly string[] {
  if (dash === undefined && isDashUnclear(cell))
    throw rowRefused(`${JSON.stringify(cell)} may be a range, or one code: write each code`)
  if (Array.from(cell.matchAll(AFTER_BLANK), ([code]) => code).some(isCountryCode))
    throw rowRefused(`${JSON.stringify(cell)} may be one code or several: put commas between codes`)
  const codes = prefixesOf(cell, '', { lists: 'whole', dash }).prefixes
  const wrong = codes.find((code) => !CALLER_PREFIX.test(code))
  if (wrong === undefined && codes.length > 0) return codes
  throw rowRefused(`${JSON.stringify(wrong ?? cell)} is not a prefix of callers: it takes 1 to 15 digits`)
}

/** `Surcharge` is a fee of a connection, unless the profile says that it is added to a minute. */
export function withSurcharge(header: Header, { surcharge }: Profile): Header {
  const { con_fee, ...others } = header.indices
  if (surcharge !== 'minute' || !isOpenSurcharge(header) || con_fee === undefined) return header
  return { ...header, indices: { ...others, addition: con_fee } }
}

const isOpenSurcharge = ({ names, indices }: { names: readonly string[]; indices: ColumnIndices }): boolean =>
  indices.origin !== undefined &&
  indices.addition === undefined &&
  indices.con_fee !== undefined &&
  isSurchargeHeading(names[indices.con_fee] ?? '')

/** Beside origins, a surcharge may be one of a minute. */
export function surchargeQuestion(header: Header, { surcharge }: Profile): Question | undefined {
  if (surcharge !== undefined || !isOpenSurcharge(header)) return undefined
  const heading = JSON.stringify(header.names[header.indices.con_fee ?? -1])
  const asks = `Is ${heading} added to the price of a minute for its origin, or a fee of a connection?`
  return { about: 'surcharge', asks, choices: SURCHARGES }
}

/** The origins that the rows of a sheet list, without repeated codes. */
export function createSheetOrigins() {
  const byName = new Map<string, Set<string>>()
  return {
    note: ({ origin, callers }: OriginOfRow): void => {
      if (callers.length > 0) byName.set(origin, new Set([...(byName.get(origin) ?? []), ...callers]))
    },
    rows: (): Pick<OriginRow, 'origin' | 'prefix'>[] =>
      [...byName].flatMap(([origin, callers]) => [...callers].map((prefix) => ({ origin, prefix }))),
  }
}
