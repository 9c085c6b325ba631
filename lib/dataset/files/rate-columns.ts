import * as v from 'valibot'
import { isMoney, type Money, moneyOf } from '#lib/domain/money.ts'
import { prefixOf } from '#lib/domain/rates/prefix.ts'
import { DAY_TYPES, type Rate } from '#lib/domain/rates/rating.ts'
import { type Column, dateTime, id, integer, oneOf, optional, text, textLike } from '#lib/store/columns.ts'

const LONGEST_NAME = 255

/** One line of text: pages keep a row as a line and its cells between tabs. */
const name: Column<string> = {
  ...text(),
  describes: `one line of at most ${LONGEST_NAME} characters`,
  schema: v.pipe(v.string(), v.maxLength(LONGEST_NAME), v.regex(/^[^\t\r\n]*$/)),
}

/** The cell may have spaces, dashes or a plus sign, as carriers write prefixes. */
const prefix: Column<string> = {
  describes: 'at most 30 digits',
  schema: v.pipe(v.string(), v.regex(/^\d{1,30}$/)),
  fromCell: (cell) => prefixOf(cell) ?? cell,
}

/** An amount from 0; the cell may have a decimal comma. */
const price = (blank?: Money): Column<Money> => ({
  describes: 'decimal number from 0 of at most 30 digits',
  schema: v.pipe(
    v.string(),
    v.check((amount) => isMoney(amount) && !amount.startsWith('-')),
  ),
  fromCell: (cell) => moneyOf(/^[^.,]*,[^.,]*$/.test(cell) ? cell.replace(',', '.') : cell) ?? cell,
  ...(blank !== undefined && { blank: { value: blank } }),
})

const MOST_SECONDS = 86_400

const seconds = (blank: number): Column<number> => ({
  ...integer(blank),
  describes: `whole number from 0 to ${MOST_SECONDS}`,
  schema: v.pipe(integer(blank).schema, v.minValue(0), v.maxValue(MOST_SECONDS)),
})

/** `8:00` and `08:00` are `08:00:00`; the end of a day may be called 24:00:00. */
const timeOfDay = (blank: string): Column<string> => ({
  ...textLike('HH:MM:SS', /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  fromCell: (cell) => {
    const [, hours = '', minutes = '', rest = '00'] =
      /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(cell.trim()) ?? []
    const time = `${hours.padStart(2, '0')}:${minutes}:${rest}`
    return time === '24:00:00' ? END_OF_DAY : time
  },
  blank: { value: blank },
})

const END_OF_DAY = '23:59:59'

export const rateColumns = {
  tariff_id: id,
  direction: name,
  destination: name,
  prefix,
  code: name,
  tariff_rate: price(),
  con_fee: price('0'),
  increment: seconds(1),
  min_time: seconds(0),
  start_time: timeOfDay('00:00:00'),
  end_time: timeOfDay(END_OF_DAY),
  daytype: oneOf(DAY_TYPES, 'everyday'),
  effective_from: optional(dateTime),
}

export type RateRow = Rate & { readonly tariff_id: number }

export const destinationColumns = { prefix, direction: name, destination: name }
