import { expect, test } from 'vitest'
import { furtherColumnsProblem } from '#lib/dataset/files/devices.ts'
import { date, dateTime, flag, id, oneOf, optional, secret } from '../columns.ts'
import { createRowParser } from './row-parser.ts'

const format = { columns: { at: dateTime, day: optional(date) } }
const calendar = { firstImport: new Date('2026-04-01T10:00:00Z'), zone: 'Europe/Berlin' }

test('dates are read in the zone of the installation, and relative dates count from the first import', () => {
  expect(createRowParser(format, calendar)({ at: '@-3d 14:05:00', day: '@-3d' })).toEqual({
    at: Date.UTC(2026, 2, 29, 12, 5) / 1000,
    day: '2026-03-29',
  })
})

test.each([
  'script',
  'SCRIPT',
  'iframe',
  'style',
  'link',
  'object',
  'svg',
  'math',
  'embed',
  'template',
  'base',
])('a further column named like an element that browsers run or load is refused: %s', (name) => {
  expect(() =>
    createRowParser(
      { ...format, furtherProblem: furtherColumnsProblem },
      calendar,
    )({ at: '@now', [name]: '' }),
  ).toThrow(`column "${name}", which is an element that browsers run or load`)
})

test.each([
  [{ at: '' }, 'at must not be blank'],
  [{ at: 'soon' }, 'at takes YYYY-MM-DD HH:MM:SS, @-3d 14:05:00 or @now-90s'],
  [{ at: '@now', day: 'soon' }, 'day takes YYYY-MM-DD or @-3d'],
  [{ at: '@now', when: '' }, 'unknown column "when"'],
  [{ at: '@now', day: 'x'.repeat(4001) }, 'day is longer than 4000 characters'],
])('a row is refused with its first problem: %o', (cells, reason) => {
  expect(() => createRowParser(format, calendar)(cells as unknown as Record<string, string>)).toThrow(reason)
})

test('every problem of a row is named with its value, in the order of the cells, but never a secret', () => {
  const columns = { id, pin: secret(oneOf(['1234'])), blocked: flag(false) }
  const cells = { blocked: 'perhaps', pin: '99', id: 'xx' }

  expect(() => createRowParser({ columns }, calendar)(cells)).toThrow(
    'blocked takes: 1 or 0, not "perhaps"; pin takes: 1234; id takes: whole number from 0, not "xx"',
  )
})
