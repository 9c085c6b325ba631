import { expect, test } from 'vitest'
import { clockOf, type TimeField, timesOf } from './clock.ts'
import { quotedValue, scalarText } from './fields.ts'

test('the text of a JSON value is blank for an object, a list and null', () => {
  expect(['a', 1.5, true, {}, [1], null, undefined].map(scalarText)).toEqual([
    'a',
    '1.5',
    'true',
    '',
    '',
    '',
    '',
  ])
})

test('a value is quoted with at most 60 characters', () => {
  expect(quotedValue('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
  expect(quotedValue('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`)
  expect(quotedValue(`${'x'.repeat(59)}😀`)).toBe(`"${'x'.repeat(59)}…"`)
})

const START = 1_773_119_520

type TimeTexts = Partial<Record<Parameters<TimeField>[0], string>>

const times = (texts: TimeTexts) =>
  timesOf((name) => ({ start: String(START), ...texts })[name] ?? '', clockOf('UTC'))

test.each<[string, TimeTexts, object]>([
  ['no end', { answer: String(START + 5) }, { duration: 0, billsec: 0, isAnswered: true, isTimed: false }],
  ['no answer', { end: String(START + 9) }, { duration: 9, billsec: 0, isAnswered: false, isTimed: false }],
  [
    'an end at its start',
    { end: String(START) },
    { duration: 0, billsec: 0, isAnswered: false, isTimed: false },
  ],
  [
    'an answer at its end',
    { answer: String(START + 9), end: String(START + 9) },
    { duration: 9, billsec: 0, isAnswered: true, isTimed: true },
  ],
  [
    'an answer at 0',
    { answer: '0', billsec: '0' },
    { duration: 0, billsec: 0, isAnswered: false, isTimed: true },
  ],
  ['seconds alone', { billsec: '4.2' }, { duration: 5, billsec: 5, isAnswered: true, isTimed: true }],
  [
    'an answer and a duration',
    { answer: String(START + 5), duration: '65' },
    { duration: 65, billsec: 60, isAnswered: true, isTimed: true },
  ],
])('the times of a call with %s', (_case, texts, expected) => {
  expect(times(texts)).toEqual({ start: START, ...expected })
})

test.each([
  [{ duration: '-5' }, 'duration "-5" is not a number of seconds'],
  [{ billsec: '5 x' }, 'billsec "5 x" is not a number of seconds'],
])('%j is refused', (texts, reason) => {
  expect(() => times(texts)).toThrow(reason)
})
