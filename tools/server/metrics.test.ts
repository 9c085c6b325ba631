import { expect, test } from 'vitest'
import { createMetrics, filtersOfAlarms, predicateOf } from './metrics.ts'

const amountIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])

test('the lines of the log count as they do for the alarms of AWS', async () => {
  const metrics = createMetrics()

  metrics.count({ method: 'devices_get', outcome: 'failed', milliseconds: 20 })
  metrics.count({ method: 'devices_get', outcome: 'refused', refusal: 'Incorrect hash', milliseconds: 4 })
  metrics.count({ method: 'user_login', outcome: 'refused', refusal: 'Login failed', milliseconds: 300 })
  metrics.count({ method: 'services_get', outcome: 'refused', refusal: 'Login failed' })
  metrics.count({ function: 'intake', outcome: 'taken', calls_stored: 40, suspended: 3, below_cost: 0 })
  metrics.count({ function: 'intake', outcome: 'taken', intake: 'fs1', calls_stored: 2 })

  const text = await metrics.text()
  expect(amountIn(text, 'tollgate_failed_calls_total')).toBe(1)
  expect(amountIn(text, 'tollgate_wrong_signatures_total')).toBe(1)
  expect(amountIn(text, 'tollgate_login_failures_total')).toBe(1)
  expect(amountIn(text, 'tollgate_calls_stored_total')).toBe(42)
  expect(amountIn(text, 'tollgate_suspended_records_total')).toBe(3)
  expect(amountIn(text, 'tollgate_calls_below_cost_total')).toBe(0)
  expect(amountIn(text, 'tollgate_intake_documents_total{intake="fs1"}')).toBe(1)
  expect(amountIn(text, 'tollgate_request_seconds_bucket{le="0.01",outcome="refused"}')).toBe(1)
  expect(amountIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
})

test('every filter of the log has a metric, and each name is new', async () => {
  const text = await createMetrics().text()
  const names = [...text.matchAll(/^# HELP (tollgate_\w+)/gm)].map(([, name]) => name)

  expect(filtersOfAlarms().length).toBeGreaterThan(10)
  expect(new Set(names).size).toBe(filtersOfAlarms().length + 2)
})

test.each([
  ['{ $.a = "x" && $.b = 1 || $.c > 2 }', { a: 'x', b: 1 }, true],
  ['{ $.a = "x" && $.b = 1 || $.c > 2 }', { a: 'x', c: 3 }, true],
  ['{ $.a = "x" && ($.b = 1 || $.c > 2) }', { a: 'y', c: 3 }, false],
  ['{ $.a >= 0 }', {}, false],
  ['{ $.a >= 0 }', { a: 0 }, true],
  ['{ $.a IS TRUE }', { a: 'true' }, false],
])('the filter %s on %j is %s', (pattern, line, expected) => {
  expect(predicateOf(pattern)(line)).toBe(expected)
})

test.each(['{ $.a ~ 1 }', '{ ($.a = 1 }', '{ $.a = 1 $.b = 2 }'])('the filter %s is refused', (pattern) => {
  expect(() => predicateOf(pattern)).toThrow()
})
