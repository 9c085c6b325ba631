import { beforeEach, expect, test, vi } from 'vitest'
import { chooseDelivery } from './delivery.ts'

beforeEach(() => vi.stubEnv('IS_OFFLINE', undefined))

test.each([
  ['a runtime that wraps handlers', { streamifyResponse: () => undefined }, true],
  ['what packages of AWS leave behind', {}, false],
  ['any other process', undefined, false],
])('%s: a method that streams does so %s', (_case, awslambda, streams) => {
  vi.stubGlobal('awslambda', awslambda)

  expect(chooseDelivery({ streams: true }).streams).toBe(streams)
})

test('a method that does not stream answers whole', () => {
  vi.stubGlobal('awslambda', { streamifyResponse: () => undefined })

  expect(chooseDelivery({}).streams).toBe(false)
})
