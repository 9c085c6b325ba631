import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, countOfDays, type Days } from '#lib/base/calendar.ts'
import {
  type ChargedDays,
  type ChargePeriod,
  chargePeriodOf,
  daysDue,
  feeOf,
  lastOfMonth,
  periodsIn,
  type SubscribedDays,
} from './charge-rules.ts'

test.each([
  ['one_time_fee', '', 'once'],
  ['one_time_fee', 'monthly', 'once'],
  ['periodic_fee', 'month', 'month'],
  ['periodic_fee', 'monthly', 'month'],
  ['Periodic_Fee ', ' Daily', 'day'],
  ['periodic_fee', 'day', 'day'],
  ['periodic_fee', 'yearly', undefined],
  ['periodic_fee', 'constructor', undefined],
  ['flat_rate', 'monthly', undefined],
  ['', '', undefined],
])('a service of type %s and period %s is charged: %s', (type, period, charged) => {
  expect(chargePeriodOf({ type, period })).toBe(charged)
})

const MAY: Days = { from: '2026-05-01', till: '2026-05-31' }

test.each<[string, string, number, string]>([
  ['2026-05-27', '2026-05-31', 1, '1.612903'],
  ['2026-05-01', '2026-05-31', 1, '10'],
  ['2026-05-31', '2026-05-31', 2, '0.645161'],
  ['2026-05-11', '2026-05-31', 3, '20.322581'],
])('10.00 from %s to %s, %i of it, is %s', (from, till, quantity, fee) => {
  expect(feeOf({ price: '10.00', quantity }, MAY, { from, till })).toBe(fee)
})

test('a part is rounded once, half away from zero', () => {
  const sixteen = { from: '2026-04-01', till: '2026-04-15' }
  const april = { from: '2026-04-01', till: '2026-04-30' }
  expect(feeOf({ price: '0.000001', quantity: 1 }, april, sixteen)).toBe('0.000001')
  expect(feeOf({ price: '-0.000001', quantity: 1 }, april, sixteen)).toBe('-0.000001')
})

const monthly: SubscribedDays = {
  period: 'month',
  from: '2026-03-20',
  till: '9999-12-31',
  isPostpaid: false,
}

const due = (
  subscribed: Partial<SubscribedDays>,
  today: string,
  charged: readonly ChargedDays[] = [],
  whole = MAY,
) =>
  daysDue({ ...monthly, ...subscribed }, whole, charged, { today, chargesFrom: '2026-01-01' }).map(
    ({ from, till, isRefund }) => `${isRefund ? '-' : '+'}${from.slice(8)}..${till.slice(8)}`,
  )

test('a prepaid account pays when the period begins, a postpaid one when it is over', () => {
  expect(due({}, '2026-04-30')).toEqual([])
  expect(due({}, '2026-05-01')).toEqual(['+01..31'])
  expect(due({ isPostpaid: true }, '2026-05-31')).toEqual([])
  expect(due({ isPostpaid: true }, '2026-06-01')).toEqual(['+01..31'])
  expect(due({ from: '2026-05-27' }, '2026-05-26')).toEqual([])
  expect(due({ from: '2026-05-27' }, '2026-05-27')).toEqual(['+27..31'])
  expect(due({ isPostpaid: true, till: '2026-05-10' }, '2026-05-11')).toEqual(['+01..10'])
})

test('a charge is made once, and the rest of a period returns when the subscription ends', () => {
  const whole = { ...MAY, isRefund: false }
  expect(due({}, '2026-05-20', [whole])).toEqual([])
  expect(due({ till: '2026-05-10' }, '2026-05-20', [whole])).toEqual(['-11..31'])
  const rest = { from: '2026-05-11', till: '2026-05-31', isRefund: true }
  expect(due({ till: '2026-05-10' }, '2026-05-20', [whole, rest])).toEqual([])
  expect(due({ till: '2026-05-15' }, '2026-05-20', [whole, rest])).toEqual(['+11..15'])
  expect(due({ from: '2026-05-03', till: '2026-05-28' }, '2026-05-20', [whole])).toEqual([
    '-01..02',
    '-29..31',
  ])
})

test('a one-time fee is charged on its day for good, and days before Charges_From are free', () => {
  const day = { from: '2026-05-05', till: '2026-05-05' }
  expect(due({ period: 'once', from: day.from }, '2026-05-05', [], day)).toEqual(['+05..05'])
  expect(
    due({ period: 'once', from: '2026-05-09' }, '2026-05-20', [{ ...day, isRefund: false }], day),
  ).toEqual([])
  const options = { today: '2026-05-20', chargesFrom: '2026-05-16' }
  expect(daysDue(monthly, MAY, [], options)).toEqual([
    { from: '2026-05-16', till: '2026-05-31', isRefund: false },
  ])
  expect(daysDue(monthly, MAY, [{ ...MAY, isRefund: false }], options)).toEqual([])
})

test('periods are calendar months, days, or one day', () => {
  const range = { from: '2026-01-31', till: '2026-03-01' }
  expect(periodsIn(monthly, range)).toEqual([
    { from: '2026-01-01', till: '2026-01-31' },
    { from: '2026-02-01', till: '2026-02-28' },
    { from: '2026-03-01', till: '2026-03-31' },
  ])
  expect(periodsIn({ ...monthly, period: 'day' }, range)).toHaveLength(30)
  expect(periodsIn({ ...monthly, period: 'once', from: '2026-02-03' }, range)).toEqual([
    { from: '2026-02-03', till: '2026-02-03' },
  ])
  expect(periodsIn({ ...monthly, period: 'once' }, range)).toEqual([])
  expect(lastOfMonth('2028-02-10')).toBe('2028-02-29')
})

const aDay = fc.integer({ min: 0, max: 89 }).map((days) => addDays('2026-04-01', days))
const aSubscription = fc
  .tuple(aDay, aDay, fc.constantFrom<ChargePeriod>('day', 'month'), fc.boolean())
  .map(([one, other, period, isPostpaid]) => ({
    from: one < other ? one : other,
    till: one < other ? other : one,
    period,
    isPostpaid,
  }))

test("a changed subscription's charges end as its last state's, and a second look finds nothing", () => {
  fc.assert(
    fc.property(
      fc.array(aSubscription, { minLength: 1, maxLength: 5 }),
      aDay,
      ([first, ...changes], chargesFrom) => {
        const period = first?.period ?? 'month'
        const charged = new Map<string, ChargedDays[]>()
        const look = (subscribed: SubscribedDays, today: string) => {
          const found: ChargedDays[] = []
          for (const whole of periodsIn(subscribed, { from: '2026-04-01', till: today })) {
            const known = charged.get(whole.from) ?? []
            const parts = daysDue(subscribed, whole, known, { today, chargesFrom })
            found.push(...parts)
            charged.set(whole.from, [...known, ...parts])
          }
          return found
        }
        let last = first as SubscribedDays
        for (const [index, change] of changes.entries()) {
          look(last, addDays('2026-04-01', index * 20))
          last = { ...change, period }
        }
        look(last, '2026-08-01')

        expect(look(last, '2026-08-01')).toEqual([])
        const days = [...charged.values()]
          .flat()
          .reduce((sum, part) => sum + (part.isRefund ? -1 : 1) * countOfDays(part), 0)
        const from = last.from > chargesFrom ? last.from : chargesFrom
        expect(days).toBe(Math.max(0, from > last.till ? 0 : countOfDays({ from, till: last.till })))
      },
    ),
  )
})
