import { MAX_USERNAME_LENGTH } from '#lib/base/account-types.ts'
import { UNLIMITED_CREDIT } from '#lib/base/balance.ts'
import { isDay } from '#lib/base/day.ts'
import { defineFields, flagOf } from '#lib/base/fields.ts'
import { isMoney, isPositive, type Money, moneyOf, ZERO } from '#lib/base/money.ts'
import { isVisibleName } from '#lib/base/text.ts'
import { MOST_CALLS } from './limits.ts'

/** The parameters that user_details_update signs, in order, after the id (wire.md user_details_update). */
export const SIGNED_DETAILS = [
  ...['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9', 'u10', 'u11', 'u12', 'u13', 'u14', 'u15'],
  ...['u16', 'u17', 'u18', 'u19', 'u20', 'u21', 'u22', 'u23', 'u24', 'u25', 'u26', 'u27', 'u28', 'u29'],
  ...['u30', 'u31', 'u32', 'u33', 'ay', 'am', 'ad', 'by', 'bm', 'bd', 'pswd', 'user_warning_email_hour'],
  ...['pgui', 'pcsv', 'ppdf', 'recording_forced_enabled', 'i4', 'tax4_enabled', 'tax2_enabled'],
  ...['accountant_type_invalid', 'block_at_conditional', 'tax3_enabled', 'accountant_type', 'tax1_value'],
  ...['show_zero_calls', 'warning_email_active', 'compound_tax', 'tax4_name', 'allow_loss_calls'],
  ...['tax3_name', 'tax2_name', 'credit', 'tax1_name', 'total_tax_name', 'tax2_value', 'tax4_value'],
  ...['ignore_global_monitorings', 'i1', 'tax3_value', 'cyberplat_active', 'i2', 'i3'],
  ...['recording_enabled', 'email_warning_sent_test', 'own_providers', 'a0', 'a1', 'a2', 'a3', 'a4', 'a5'],
  ...['a6', 'a7', 'a8', 'a9'],
] as const

/** Those that change something. */
const SUPPORTED = [
  ...['u0', 'u5', 'u9', 'u15', 'u17', 'u18', 'u19', 'u23', 'u25', 'u27', 'u28', 'u32', 'u33'],
  ...['ay', 'am', 'ad', 'pswd', 'credit'],
] as const

type Unsupported = Exclude<(typeof SIGNED_DETAILS)[number], (typeof SUPPORTED)[number]>

/** Those that change nothing here, such as the LCR. They are refused unless they are blank. */
export const UNSUPPORTED_DETAILS = SIGNED_DETAILS.filter(
  (name): name is Unsupported => !SUPPORTED.some((one) => one === name),
)

/** A person's names and the comment. Deployed clients change these with a hash of the account's id alone. */
export const NAME_DETAILS = ['u17', 'u23', 'u33'] as const

const asSent = (text: string): string => text

const usernameOf = (text: string): string | undefined =>
  text === '' || text.length > MAX_USERNAME_LENGTH || !isVisibleName(text) ? undefined : text

/** A plain decimal with at most 15 digits on each side of the point. */
const amountOf = (text: string): Money | undefined => {
  const trimmed = text.trim()
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(trimmed) && isMoney(trimmed) ? moneyOf(trimmed) : undefined
}

function creditOf(text: string): Money | undefined {
  const amount = amountOf(text)
  return amount === UNLIMITED_CREDIT || !amount?.startsWith('-') ? amount : undefined
}

/** 0 means unlimited, as less does (user.rb:2880 of the original). */
function callsLimitOf(text: string): number | undefined {
  const calls = /^-?\d{1,15}$/.test(text.trim()) ? Math.max(0, Number(text)) : Number.NaN
  return calls <= MOST_CALLS ? calls : undefined
}

/** 0 means unlimited. */
function dailyLimitOf(text: string): Money | undefined {
  const amount = amountOf(text)
  return amount === undefined || isPositive(amount) ? amount : ZERO
}

const FLAG = 'takes 0 or 1'

/** The details that are stored as they come. The last of two parameters with one column counts. */
export const accountDetails = defineFields({
  u9: {
    column: 'username',
    read: usernameOf,
    refusal: `u9 takes 1 to ${MAX_USERNAME_LENGTH} characters`,
  },
  first_name: { read: asSent },
  last_name: { read: asSent },
  u23: { column: 'first_name', read: asSent },
  u17: { column: 'last_name', read: asSent },
  u15: { column: 'blocked', read: flagOf, refusal: `u15 ${FLAG}` },
  u28: { column: 'hidden', read: flagOf, refusal: `u28 ${FLAG}` },
  u25: { column: 'postpaid', read: flagOf, refusal: `u25 ${FLAG}` },
  credit: { read: creditOf, refusal: 'credit takes an amount from 0, or -1 for no limit' },
  u32: {
    column: 'daily_balance_limit',
    read: dailyLimitOf,
    refusal: 'u32 takes an amount; 0 or less is no limit',
  },
  u18: {
    column: 'calls_limit',
    read: callsLimitOf,
    refusal: `u18 takes a whole number up to ${MOST_CALLS}; 0 or less is no limit`,
  },
  u0: { column: 'vat_number', read: asSent },
  u19: { column: 'clientid', read: asSent },
  u27: { column: 'agreement_number', read: asSent },
  u33: { column: 'comment', read: asSent },
})

/** The date of three parts sent together. Blank parts are not a date; `undefined` is an invalid one. */
export function agreementDateOf({
  ay = '',
  am = '',
  ad = '',
}: Readonly<Record<'ay' | 'am' | 'ad', string | undefined>>): { day: string | undefined } | undefined {
  const [year, month, day] = [ay, am, ad].map((part) => part.trim())
  if (`${year}${month}${day}` === '') return { day: undefined }
  const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  return isDay(date) ? { day: date } : undefined
}
