import { expect, test } from 'vitest'
import {
  allProblems,
  type ColumnProblem,
  ID_USED,
  isStoredRow,
  KEPT_CHANGING,
  kindAfter,
  kindOfRow,
  missingReference,
  problemsText,
  problemText,
  reasonIn,
  rowRefused,
} from './row-refused.ts'

test('a row is new, changed or unchanged', () => {
  expect([kindAfter(undefined), kindAfter({})]).toEqual(['new', 'changed'])
  expect(kindOfRow(undefined, 'abc')).toBe('new')
  expect(kindOfRow({ digest: 'xyz' }, 'abc')).toBe('changed')
  expect(kindOfRow({ digest: 'abc' }, 'abc')).toBe('unchanged')
})

test.each([
  ['equal columns', { id: 1, name: 'a' }, { id: 1, name: 'a', digest: 'x' }, true],
  ['another value', { id: 1, name: 'a' }, { id: 1, name: 'b' }, false],
  ['a blank column', { id: 1, name: undefined }, { id: 1 }, true],
  ['a column that was removed', { id: 1, name: undefined }, { id: 1, name: 'a' }, false],
  ['equal lists', { ids: [1, 2] }, { ids: [1, 2] }, true],
  ['lists in another order', { ids: [1, 2] }, { ids: [2, 1] }, false],
  ['a row that is not stored', { id: 1 }, undefined, false],
])('whether a row is stored: %s', (_case, row, stored, expected) => {
  expect(isStoredRow(row, stored)).toBe(expected)
})

test('the reason of a refusal is its message; other errors are thrown again', () => {
  const bug = new TypeError('a bug')

  expect(reasonIn(rowRefused('id: is blank'))).toBe('id: is blank')
  expect(() => reasonIn(bug)).toThrow(bug)
})

test('several reasons are one text, each reason once', () => {
  expect(allProblems(undefined, undefined)).toEqual([])
  expect(problemsText('a', undefined, ['b', 'a'])).toBe('a; b')
})

test('a missing reference names its column, the noun and the id', () => {
  expect(problemText(missingReference('user_id', 'account', 7))).toBe('user_id: there is no account 7')
})

test.each<[string, ColumnProblem]>([
  ['pin must not be blank', { code: 'blank', field: 'pin', values: {} }],
  [
    'port takes: whole number, not "x"',
    { code: 'takes', field: 'port', values: { takes: 'whole number', given: '"x"' } },
  ],
  ['pin takes: digits', { code: 'takes', field: 'pin', values: { takes: 'digits' } }],
  ['email belongs to account 7', { code: 'taken', field: 'email', values: { noun: 'account', id: 7 } }],
  [
    'address 192.0.2.1 belongs to provider 3',
    { code: 'taken', field: 'addresses', values: { noun: 'provider', id: 3, word: 'address 192.0.2.1' } },
  ],
  [
    'name is the name or extension of device 9',
    { code: 'taken', field: 'name', values: { noun: 'device', id: 9, as: 'the name or extension' } },
  ],
  ['till is before from', { code: 'rule', field: 'till', values: { says: 'is before from' } }],
  ['owner_id: it is 5', { code: 'rule', field: 'owner_id', values: { says: 'it is 5', colon: true } }],
])('%s', (text, problem) => {
  expect(problemText(problem)).toBe(text)
  expect(rowRefused(problem, 'and more')).toMatchObject({ message: `${text}; and more` })
})

test('reasons that several imports give have one wording', () => {
  expect(KEPT_CHANGING).toBe('changed by others meanwhile; import it again')
  expect(ID_USED).toBe('id used by another call')
})
