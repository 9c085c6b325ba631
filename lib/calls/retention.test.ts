import { expect, test } from 'vitest'
import { archivedNotice, daysInTable, firstKeptDay, isArchivedDay, isArchivedMoment } from './retention.ts'

const settings = { archivedBefore: '2026-03-10', Timezone: 'Europe/Vilnius' }
const keepsAll = { ...settings, archivedBefore: undefined }

test.each([
  ['2026-03-09', true],
  ['2026-03-10', false],
])('the day %s is archived: %s', (day, isArchived) => {
  expect(isArchivedDay(day, settings)).toBe(isArchived)
  expect(isArchivedDay(day, keepsAll)).toBe(false)
})

test.each([
  ['2026-03-09T21:59:59Z', true],
  ['2026-03-09T22:00:00Z', false],
])('the day of %s, in the zone, is archived: %s', (moment, isArchived) => {
  expect(isArchivedMoment(Date.parse(moment) / 1000, settings)).toBe(isArchived)
  expect(isArchivedMoment(Date.parse(moment) / 1000, keepsAll)).toBe(false)
})

test('an answer over archived days names the first day that is not', () => {
  expect(archivedNotice('2026-03-10')).toBe('Calls before 2026-03-10 are archived')
})

test('without an archive no zone is looked up', () => {
  expect(isArchivedMoment(0, { archivedBefore: undefined, Timezone: 'Mars/Olympus' })).toBe(false)
})

test('a range of days begins in the table', () => {
  const days = { from: '2026-03-01', till: '2026-03-31' }

  expect(daysInTable(days, settings)).toEqual({ from: '2026-03-10', till: '2026-03-31' })
  expect(daysInTable({ ...days, from: '2026-03-11' }, settings)).toEqual({ ...days, from: '2026-03-11' })
  expect(daysInTable(days, keepsAll)).toEqual(days)
})

test('the first day that is kept is that number of days before today, in the zone', () => {
  const now = new Date('2026-03-09T22:00:00Z')

  expect(firstKeptDay({ Calls_Keep_Days: 30, Timezone: 'Europe/Vilnius' }, now)).toBe('2026-02-08')
  expect(firstKeptDay({ Calls_Keep_Days: 30, Timezone: 'UTC' }, now)).toBe('2026-02-07')
  expect(firstKeptDay({ Calls_Keep_Days: undefined, Timezone: 'UTC' }, now)).toBeUndefined()
})
