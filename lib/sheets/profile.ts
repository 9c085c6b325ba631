import * as v from 'valibot'
import { isMoney } from '#lib/domain/money.ts'
import { billingOf } from './billing.ts'
import { COLUMN_ROLES, type ColumnRole } from './column-names.ts'
import { DATE_ORDERS } from './dates.ts'
import { CODES, DASHES } from './dial-codes.ts'
import { DECIMAL_MARKS } from './numbers.ts'
import { SheetError } from './sheet-error.ts'
import { STATUSES } from './statuses.ts'

/** Whether a sheet is the whole tariff, or changes some of its rates. */
export const MODES = ['replace', 'merge'] as const

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

const columns = v.strictObject(
  Object.fromEntries(COLUMN_ROLES.map((role) => [role, v.optional(name)])) as Record<
    ColumnRole,
    v.OptionalSchema<typeof name, undefined>
  >,
)

/** How the sheets of a carrier are read. What a profile does not say is found out anew in each sheet. */
const profileSchema = v.strictObject({
  /** The tariff, where no command names it. */
  tariff: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  mode: v.optional(v.picklist(MODES)),
  /** The name of a worksheet; the first one otherwise. */
  sheet: v.optional(name),
  delimiter: v.optional(v.pipe(v.string(), v.length(1))),
  encoding: v.optional(name),
  /** The headings of the columns. */
  columns: v.optional(columns),
  decimal: v.optional(v.picklist(DECIMAL_MARKS)),
  dates: v.optional(v.picklist(DATE_ORDERS)),
  /** What a dash between two dial codes means. */
  dash: v.optional(v.picklist(DASHES)),
  /** Whether dial codes beside a country code are area codes, or whole. */
  codes: v.optional(v.picklist(CODES)),
  currency: v.optional(name),
  /** What a rate of the sheet is multiplied with to be one for a minute in whole units: `0.01` for cents. */
  rate_factor: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => isMoney(text) && !text.startsWith('-'), 'takes a decimal number in quotes'),
    ),
  ),
  /** Increments of a sheet that has no column of them, such as `60/60`. */
  billing: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => billingOf(text) !== undefined, 'takes increments such as "60/60"'),
    ),
  ),
  /** What the words of the status column mean. */
  statuses: v.optional(v.record(name, v.picklist(STATUSES))),
})

export type Profile = v.InferOutput<typeof profileSchema>

/** Lower-case letters, digits and hyphens: a profile's name is a file's name, too. */
export const isProfileName = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

/** Throws SheetError with the key that is wrong and what it takes. */
export function profileOf(text: string, where: string): Profile {
  const parsed = v.safeParse(profileSchema, parseJson(text, where))
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new SheetError(`${where}: ${v.getDotPath(issue) ?? 'the profile'}: ${issue.message}`)
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SheetError(`${where} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

export const profileText = (profile: Profile): string => `${JSON.stringify(profile, undefined, 2)}\n`
