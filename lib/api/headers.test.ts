import { expect, test } from 'vitest'
import { HEADERS_BELOW_METHODS, headerOf } from './headers.ts'

test('a header is found in any case, and a missing one is blank', () => {
  expect(headerOf({ headers: { 'X-Other': 'a', 'Content-TYPE': 'text/plain' } }, 'content-type')).toBe(
    'text/plain',
  )
  expect(headerOf({ headers: { 'X-Other': 'a' } }, 'content-type')).toBe('')
  // API Gateway sends null for a request without headers.
  expect(headerOf({ headers: null } as never, 'content-type')).toBe('')
})

test('no answer may be stored, guessed or run as a page', () => {
  expect(HEADERS_BELOW_METHODS).toEqual({
    'Content-Type': 'text/xml; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  })
})
