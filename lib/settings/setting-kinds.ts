import { memoize } from '#lib/base/collections.ts'
import { isDay } from '#lib/base/day.ts'
import { CALL_OWNER_HINTS, parseCallOwnerOrder } from '#lib/base/switch-names.ts'
import { MAX_TEXT_LENGTH, switchOf } from '#lib/base/text.ts'
import { isAddressList } from '#lib/base/trusted-addresses.ts'

/** A check of a value, and the end of its refusal, which begins with the setting's name. */
export interface SettingRule {
  isValid(value: string): boolean
  readonly rule: string
}

/** The settings are one item, which every request reads: it should stay small. */
const MAX_DAYS = 60

const MAX_DAYS_LENGTH = MAX_DAYS * '2027-01-31,'.length - 1

/** A check takes longer than the rest of reading the settings. */
const isTimeZone = memoize((name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
})

export const SETTING_KINDS = {
  switch: {
    isValid: (value) => value.trim() === '' || switchOf(value) !== undefined,
    rule: 'takes 1 or 0, yes or no, on or off, true or false',
  },
  'whole number': { isValid: (value) => /^\d{0,15}$/.test(value), rule: 'takes a whole number or nothing' },
  digits: { isValid: (value) => /^\d{0,10}$/.test(value), rule: 'takes up to 10 digits or nothing' },
  amount: {
    isValid: (value) => /^(-?\d{1,15}(\.\d{1,15})?)?$/.test(value),
    rule: 'takes a decimal number or nothing',
  },
  'order of hints': {
    isValid: (value) => parseCallOwnerOrder(value) !== undefined,
    rule: `takes some of ${CALL_OWNER_HINTS.join(', ')}, with commas between them`,
  },
  'time zone': { isValid: isTimeZone, rule: 'takes the IANA name of a time zone, such as Europe/Vilnius' },
  text: {
    isValid: (value) => value.length <= MAX_TEXT_LENGTH,
    rule: `takes at most ${MAX_TEXT_LENGTH} characters`,
  },
  /** Its words are the setting's own. */
  choice: { isValid: ({ length }) => length <= MAX_TEXT_LENGTH, rule: 'takes one of its words' },
  addresses: {
    isValid: (value) => value.length <= MAX_TEXT_LENGTH && isAddressList(value),
    rule: 'takes IP addresses and ranges such as 192.0.2.0/24, with commas between them',
  },
  day: {
    isValid: (value) => value === '' || isDay(value),
    rule: 'takes a day such as 2027-01-31, or nothing',
  },
  days: {
    isValid: (value) => value === '' || (value.length <= MAX_DAYS_LENGTH && value.split(',').every(isDay)),
    rule: `takes days such as 2027-01-31,2027-12-25, with commas between them, at most ${MAX_DAYS}`,
  },
} satisfies Readonly<Record<string, SettingRule>>
