import { expect, test } from 'vitest'
import { aContext, anEvent } from '#test/event.ts'
import { requestIds, requireState } from './request-context.ts'

test('a step that runs too early names the facts that are missing', () => {
  const requestState = { address: '192.0.2.1', raw: {} }

  expect(() => requireState(requestState, 'raw', 'address')).not.toThrow()
  expect(() => requireState(requestState, 'raw', 'caller', 'store')).toThrow(
    'No step before this one has found caller and store',
  )
})

test('a line of the log has the id of the request and that of the invocation', () => {
  expect(requestIds(anEvent({}), aContext())).toEqual({ request: 'request-1', invocation: 'invocation-1' })
})
