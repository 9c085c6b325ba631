import * as v from 'valibot'
import { UNLIMITED_CREDIT } from '#lib/base/balance.ts'
import { isMoneyFromZero, type Money, ZERO } from '#lib/base/money.ts'
import {
  addedLater,
  blankMeans,
  type Column,
  flag,
  integer,
  labelled,
  money,
  optional,
  type Row,
  storedReader,
  text,
} from '#lib/table/columns.ts'
import { readMany, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { listedColumns } from './account.ts'

export const creditLimit: Column<Money> = {
  ...money(),
  describes: 'decimal number from 0, or -1 for unlimited',
  schema: v.pipe(
    v.string(),
    v.check((value) => value === UNLIMITED_CREDIT || isMoneyFromZero(value)),
  ),
}

const fromZero: Column<Money> = {
  ...money(),
  describes: 'decimal number from 0',
  schema: v.pipe(v.string(), v.check(isMoneyFromZero)),
}

const wholeFrom = (least: number, most: number): Column<number> => ({
  ...integer(),
  describes: `whole number from ${least} to ${most}`,
  schema: v.pipe(integer().schema, v.minValue(least), v.maxValue(most)),
})

/** An update that drops holds names each of them: an item of more would be dropped in many updates. */
export const MOST_CALLS = 1000

const MOST_THRESHOLDS = 10

const amountsIn = (list: string): string[] => list.split(',').map((amount) => amount.trim())

/** Thresholds of the remaining money in the default currency, separated by commas. */
const alertAt: Column<string> = addedLater(
  {
    ...text(),
    describes: `up to ${MOST_THRESHOLDS} decimal numbers from 0 with commas between them, such as 50,20,5`,
    schema: v.pipe(
      text().schema,
      v.check(
        (list) =>
          list === '' ||
          (amountsIn(list).length <= MOST_THRESHOLDS && amountsIn(list).every(isMoneyFromZero)),
        'is not: amounts from 0 with commas between them',
      ),
    ),
  },
  '',
)

/** The countries that an account may call for the first time: their codes, or `any`. */
const knownCountries: Column<string> = addedLater(
  {
    ...text(),
    describes:
      'country codes with commas between them, in the zone of +1 with the area, such as 252,1876; or any',
    schema: v.pipe(
      text().schema,
      v.check(
        (list) =>
          list === '' ||
          list === 'any' ||
          list.split(',').every((one) => /^ *(?:1\d{3}|[2-9]\d{0,2}) *$/.test(one)),
        'is not: country codes with commas between them, or any',
      ),
    ),
  },
  '',
)

export const thresholdsIn = ({ alert_at }: { readonly alert_at: string }): Money[] =>
  alert_at === '' ? [] : amountsIn(alert_at)

/** The columns that decide what calls of an account may cost. A blank limit is none. */
export const limitColumns = {
  /** The amounts are in the default currency. */
  daily_balance_limit: labelled(optional(money()), 'Daily limit', 'what its calls may cost in a day'),
  /** Wire.md 7.5. */
  credit: labelled(
    addedLater(creditLimit, UNLIMITED_CREDIT),
    'Credit',
    'how far the balance may go below 0; -1 is without a limit',
  ),
  postpaid: labelled(addedLater(flag(true), true), 'Postpaid', 'its calls need no balance'),
  calls_limit: blankMeans(labelled(optional(wholeFrom(0, MOST_CALLS)), 'Concurrent calls'), 'no limit'),
  dearest_rate: labelled(optional(fromZero), 'Maximum rate', 'calls with a higher rate a minute are refused'),
  reserve_seconds: blankMeans(
    labelled(optional(wholeFrom(1, 86_400)), 'Seconds held', 'paid before a call begins'),
    'the setting Reserve_Seconds',
  ),
  known_countries: labelled(
    knownCountries,
    'Known countries',
    'a first call to them is neither reported nor refused',
  ),
  alert_at: labelled(alertAt, 'Low-balance alerts', 'amounts of balance and credit left, such as 50,20,5'),
}

export type Limits = Row<typeof limitColumns>

/** How far the balance may go below 0; `undefined` for no limit. Only postpaid credit can be unlimited. */
export function creditOf({ credit, postpaid }: Pick<Limits, 'credit' | 'postpaid'>): Money | undefined {
  if (credit !== UNLIMITED_CREDIT) return credit
  return postpaid ? undefined : ZERO
}

const payerColumns = { ...listedColumns, ...limitColumns }

/** An account with its limits. */
export type PayerAccount = Stored<Row<typeof payerColumns>>

export const readPayer: (item: Item) => PayerAccount = storedReader(payerColumns)

export const findPayer = async (store: Store, id: number): Promise<PayerAccount | undefined> => {
  const item = await store.get(accountKey(id))
  return item && readPayer(item)
}

/** In the order of the ids. */
export const findPayers = (store: Store, ids: readonly number[]): Promise<(PayerAccount | undefined)[]> =>
  readMany(store, ids.map(accountKey), readPayer)
