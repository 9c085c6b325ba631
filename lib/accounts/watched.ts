import * as v from 'valibot'
import { isMoneyFromZero, type Money } from '#lib/base/money.ts'
import { addedLater, type Column, text } from '#lib/table/columns.ts'

const MOST_THRESHOLDS = 10

const amountsIn = (list: string): string[] => list.split(',').map((amount) => amount.trim())

/** Thresholds of the remaining money in the default currency, separated by commas. */
export const alertAt: Column<string> = addedLater(
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

export const thresholdsIn = ({ alert_at }: { readonly alert_at: string }): Money[] =>
  alert_at === '' ? [] : amountsIn(alert_at)
