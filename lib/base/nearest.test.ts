import { expect, test } from 'vitest'
import { nearestNames } from './nearest.ts'

const METHODS = [
  'device_create',
  'device_rules_get',
  'devices_get',
  'rate_get',
  'tariff_rates_get',
  'user_login',
]

test.each([
  ['device_get', 'devices_get'],
  ['rate_gett', 'rate_get'],
  ['RATE_GET', 'rate_get'],
  ['nothing_like_it', undefined],
])('%s is most likely %s', (word, name) => {
  expect(nearestNames(word, METHODS)[0]).toBe(name)
})

test('at most three names, the likeliest first, as long as a third of their letters differs', () => {
  expect(nearestNames('cats', ['cost', 'bats', 'cat', 'cats', 'coat', 'dogs'])).toEqual([
    'cats',
    'bats',
    'cat',
  ])
  expect(nearestNames('abcdefghi', ['abcdefxyz', 'abcdewxyz'])).toEqual(['abcdefxyz'])
  expect(nearestNames('ab', ['ac', 'ab'])).toEqual(['ab'])
})
