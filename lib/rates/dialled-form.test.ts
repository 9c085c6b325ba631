import { expect, test } from 'vitest'
import { readSettings } from '#lib/settings/settings.ts'
import { unratedForm } from './rating.ts'

const settings = readSettings({ National_Prefix: '0', Country_Code: '370' })

test.each([
  ['*98', 'feature_code'],
  ['*72442079460000', 'feature_code'],
  ['#31#442079460000', 'feature_code'],
  ['park+6001', 'feature_code'],
  ['конференция', 'feature_code'],
  ['3001', 'short_number'],
  ['+4420', 'short_number'],
  ['004420', 'short_number'],
  ['44207', undefined],
  ['0442', undefined],
  ['+44 (20) 7946-0000', undefined],
  ['', undefined],
  ['+', undefined],
])('%j has the form %j', (dialled, form) => {
  expect(unratedForm(dialled, settings)).toBe(form)
})

test('a blank setting has no short numbers', () => {
  expect(unratedForm('3001', readSettings({ Shortest_Rated_Number: '' }))).toBe(undefined)
})
