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
