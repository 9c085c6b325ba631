import * as v from 'valibot'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { isMoneyFromZero, isPositive, type Money } from '#lib/base/money.ts'
import { isTimeZone } from '#lib/csv/headings.ts'
import { parseProfile } from '#lib/csv/profile.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { originName } from '../origins/origins.ts'
import { AFTER_ENDS } from '../rating.ts'
import { BLANKS } from './code-items.ts'
import { COLUMN_ROLES, type ColumnRole } from './columns.ts'
import { CODES, DASHES, LISTS } from './dial-codes.ts'
import { DECIMAL_MARKS } from './numbers.ts'
import { STATUSES } from './statuses.ts'

/** The minimum of a call and the billing increment, in seconds. */
export interface CallMinimums {
  readonly min_time: string
  readonly increment: string
}

const CLOCK_TEXT = /(?<!\d)0\d{3}|^0?\d:0|:0\d/

/**
 * Reads `60/60`, `60/1`, `1+1`, `30-6` or `30,6,6`: the minimum, then the increment. One number alone is the
 * increment, and so is `per second` or `per minute`. Clock digits (`0100`, `01:00`) are not increments.
 */
export function billingOf(cell: string): CallMinimums | undefined {
  const plain = cell
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?(?:seconds?|secs?|s)\b\.?/g, '')
  if (/^per( minute| min)?$/.test(plain)) return { min_time: '0', increment: plain === 'per' ? '1' : '60' }
  const [, first, further] = /^(\d{1,5})(?: ?[/+:;|,-] ?(\d{1,5})(?: ?[/+:;|,-] ?\2)?)?$/.exec(plain) ?? []
  if (first === undefined || CLOCK_TEXT.test(plain)) return undefined
  return further === undefined ? { min_time: '0', increment: first } : { min_time: first, increment: further }
}

const A_FACTOR = 'use a decimal number in quotes, or a fraction such as "1/60"'

/** The factor of `0.01`, or of a fraction such as `1/60`. */
export function factorOf(text: string): { readonly times: Money; readonly by: Money } | undefined {
  const [times = '', by = '1', more] = text.split('/')
  const isFactor = [times, by].every((part) => isMoneyFromZero(part)) && isPositive(by) && more === undefined
  return isFactor ? { times, by } : undefined
}

/** Whether a rate sheet replaces the whole tariff or changes some of its rates. */
export const MODES = ['replace', 'merge'] as const

/** The meaning of a number after words such as `from`: the price, or a reason to refuse the row. */
export const NOTES = ['price', 'refused'] as const

/** The meaning of `Surcharge` beside a column of origins. */
export const SURCHARGES = ['minute', 'connection'] as const

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

const columns = v.strictObject(
  Object.fromEntries(COLUMN_ROLES.map((role) => [role, v.optional(name)])) as Record<
    ColumnRole,
    v.OptionalSchema<typeof name, undefined>
  >,
)

const textThat = (isFit: (text: string) => boolean, says: string) => v.pipe(v.string(), v.check(isFit, says))

const factor = textThat((text) => text === 'call' || factorOf(text) !== undefined, `${A_FACTOR}, or "call"`)

const increments = textThat((text) => billingOf(text) !== undefined, 'use increments such as "60/60"')

/** Describes a carrier's rate sheets. Settings that the profile lacks are sought in each sheet. */
const profileSchema = v.strictObject({
  /** The tariff, unless a command names it. */
  tariff: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  mode: v.optional(v.picklist(MODES)),
  /** The name of a worksheet; by default the first one. */
  sheet: v.optional(name),
  /** Reads hidden rows, columns and struck-out cells, too. */
  hidden: v.optional(v.literal('read')),
  delimiter: v.optional(v.pipe(v.string(), v.length(1))),
  encoding: v.optional(name),
  columns: v.optional(columns),
  decimal: v.optional(v.picklist(DECIMAL_MARKS)),
  dates: v.optional(v.picklist(DATE_ORDERS)),
  /** The meaning of a dash between two dial codes. */
  dash: v.optional(v.picklist(DASHES)),
  /** The meaning of blanks in dial codes. */
  blanks: v.optional(v.picklist(BLANKS)),
  /** The meaning of a list of dial codes that may reach another country. */
  lists: v.optional(v.picklist(LISTS)),
  /** Whether dial codes next to a column of country codes are area codes or whole codes. */
  codes: v.optional(v.picklist(CODES)),
  currency: v.optional(name),
  /** The factor that makes a rate of the sheet one for a minute in whole currency units: `0.01` for cents. */
  rate_factor: v.optional(factor),
  /** The factor of connection fees; by default that of the rates. */
  fee_factor: v.optional(textThat((text) => factorOf(text) !== undefined, A_FACTOR)),
  /** The factors of rates by their unit, which may have a column of its own; `call` as for `rate_factor`. */
  units: v.optional(v.record(name, factor)),
  /** Whether the number after a word, such as `from 0.03`, is the price. */
  notes: v.optional(v.record(name, v.picklist(NOTES))),
  /** The operator has read what lines around the rates say: `noted`, with their days and steps. */
  lines: v.optional(name),
  /** The time zone of dates: an IANA name, an offset, or `installation`. */
  zone: v.optional(
    textThat((text) => text === 'installation' || isTimeZone(text), 'use an IANA name or an offset'),
  ),
  /** The increments of a sheet without such a column, such as `60/60`. */
  billing: v.optional(increments),
  /** The increments of prefixes that the tariff does not have yet, of a sheet without such a column. */
  billing_of_new: v.optional(increments),
  /** The connection fee of such prefixes. */
  fee_of_new: v.optional(textThat(isMoneyFromZero, 'use a decimal number in quotes')),
  /** The worksheet that lists the callers of each origin, or `none`. */
  origins_sheet: v.optional(name),
  /** Origins of the tariff by the words of the sheet. */
  origin_names: v.optional(v.record(name, v.union([v.literal(''), originName.schema]))),
  /** The meaning of `Surcharge` beside a column of origins. */
  surcharge: v.optional(v.picklist(SURCHARGES)),
  /** Bills without the columns that no rate can keep. */
  unpriced: v.optional(v.literal('ignored')),
  /** The effect of a rate without hours on a prefix with rates of several hours. */
  hours: v.optional(v.picklist(['each', 'whole_day'])),
  /** Allows hours of the week without a price, or with two. */
  gaps: v.optional(v.literal('allowed')),
  after_end: v.optional(v.picklist(AFTER_ENDS)),
  /** The meanings of the words in the status column. */
  statuses: v.optional(v.record(name, v.picklist(STATUSES))),
})

export type Profile = v.InferOutput<typeof profileSchema>

/** Reads a profile in JSON. Throws refused_file with the invalid key and the values that it takes. */
export const profileOf = (text: string, where: string): Profile => parseProfile(profileSchema, text, where)

/** The profile of the last sheet that the console imported into a tariff, in JSON. */
export const sheetProfileKey = keyForm('TARIFF#<id>', 'SHEETPROFILE')

/** The next sheet of the carrier is read by it. Undefined before the first one. */
export async function findKeptProfile(store: Store, tariffId: number): Promise<Profile | undefined> {
  const kept = await store.get(sheetProfileKey(tariffId))
  return kept && profileOf(String(kept['profile']), 'The kept profile')
}

export const keepProfile = (tariffId: number, profile: Profile): Change => ({
  put: { ...sheetProfileKey(tariffId), profile: JSON.stringify(profile) },
})
