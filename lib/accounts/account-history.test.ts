import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  asOf,
  changedValues,
  type DatedValues,
  listHistory,
  MOST_CHANGES,
  valueAt,
} from './account-history.ts'

const NEW: DatedValues = { tariff_id: 1, vat_percent: undefined, currency: '', owner_id: 0 }

test('an account that never changed has no history and the values of today', () => {
  expect(changedValues(NEW, NEW, { now: 50 })).toEqual({ ...NEW, history: undefined })
  expect(valueAt(NEW, 'tariff_id', 0)).toBe(1)
  expect(asOf(NEW, 10)).toBe(NEW)
})

test('the first change stores the value before it, from the beginning', () => {
  const changed = changedValues(NEW, { ...NEW, tariff_id: 7, vat_percent: '19' }, { now: 50 })
  expect(changed.history).toEqual({
    tariff_id: [
      [0, 1],
      [50, 7],
    ],
    vat_percent: [[0], [50, '19']],
  })
  expect([0, 49, 50].map((at) => valueAt(changed, 'tariff_id', at))).toEqual([1, 1, 7])
  expect([49, 50].map((at) => valueAt(changed, 'vat_percent', at))).toEqual([undefined, '19'])
  expect(listHistory(changed).map(({ column, from, value }) => [column, from, value])).toEqual([
    ['tariff_id', 0, 1],
    ['tariff_id', 50, 7],
    ['vat_percent', 0, undefined],
    ['vat_percent', 50, '19'],
  ])
})

test('a dated change holds from its day on, whatever is changed before it, and the value back cancels it', () => {
  const columns = ['tariff_id'] as const
  const planned = changedValues(NEW, { ...NEW, tariff_id: 7 }, { now: 50, dated: { from: 90, columns } })
  expect(planned).toMatchObject({ tariff_id: 1 })
  const taxed = changedValues(planned, { ...asOf(planned, 60), vat_percent: '19' }, { now: 60 })
  expect(asOf(taxed, 89)).toMatchObject({ tariff_id: 1, vat_percent: '19' })
  expect(asOf(taxed, 90)).toMatchObject({ tariff_id: 7, vat_percent: '19' })
  const due = changedValues(taxed, { ...asOf(taxed, 95), currency: 'EUR' }, { now: 95 })
  expect(due).toMatchObject({ tariff_id: 7, currency: 'EUR' })
  const cancelled = changedValues(planned, NEW, { now: 60, dated: { from: 90, columns } })
  expect(cancelled).toEqual({ ...NEW, history: undefined })
  const earlier = changedValues(due, { ...due, tariff_id: 3 }, { now: 99, dated: { from: 20, columns } })
  expect([19, 20, 89, 90].map((at) => valueAt(earlier, 'tariff_id', at))).toEqual([1, 3, 3, 7])
})

test('a first tariff holds since the account had none, unless it is dated', () => {
  const without = { ...NEW, tariff_id: undefined }
  expect(changedValues(without, NEW, { now: 50 }).history).toBeUndefined()
  const dated = { from: 90, columns: ['tariff_id'] as const }
  expect(changedValues(without, NEW, { now: 50, dated })).toMatchObject({
    tariff_id: undefined,
    history: { tariff_id: [[0], [90, 1]] },
  })
})

test('the 101st change is refused', () => {
  let account: ReturnType<typeof changedValues> = NEW
  for (let now = 1; now <= MOST_CHANGES; now += 1)
    account = changedValues(account, { ...account, tariff_id: now % 2 }, { now: now * 10 })
  account = changedValues(account, { ...account, tariff_id: 1 - (account.tariff_id ?? 0) }, { now: 5000 })
  expect(listHistory(account)).toHaveLength(MOST_CHANGES + 1)
  expect(() => changedValues(account, { ...account, vat_percent: '7' }, { now: 6000 })).toThrow(
    'the history of the account is full with 100 changes',
  )
})

test('a change holds up to the next one, as in a plain list of moments', () => {
  const change = fc.record({ at: fc.integer({ min: 1, max: 30 }), value: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const values = Array.from({ length: 32 }, () => 1)
      let account: ReturnType<typeof changedValues> = NEW
      for (const { at, value } of changes) {
        const next = values.findIndex((one, moment) => moment > at && one !== values[moment - 1])
        if (values[at] !== value) values.fill(value, at, next === -1 ? values.length : next)
        const dated = { from: at, columns: ['tariff_id'] as const }
        account = changedValues(account, { ...NEW, tariff_id: value }, { now: 15, dated })
        expect(values.map((_, moment) => valueAt(account, 'tariff_id', moment))).toEqual(values)
        expect(account.tariff_id).toBe(values[15])
      }
    }),
  )
})
