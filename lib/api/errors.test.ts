import { expect, test } from 'vitest'
import {
  answerTooLarge,
  gateRefusal,
  httpRefusal,
  invalid,
  invalidCharacters,
  notSupported,
  passwordTooShort,
} from './errors.ts'

test.each([
  ['bad_request', 400, 'Bad request'],
  ['unknown_method', 404, 'Unknown method'],
  ['wrong_verb', 405, 'Method not allowed'],
  ['too_large', 413, 'Request is too large'],
  ['unsupported_type', 415, 'Unsupported content type'],
  ['internal', 500, 'Internal error'],
  ['unknown_outcome', 500, 'The outcome is unknown'],
  ['out_of_time', 503, 'Try again'],
  ['unreadable_table', 503, 'The table has another format'],
] as const)('%s is HTTP %i with its message', (kind, status, message) => {
  expect(httpRefusal(kind)).toMatchObject({ name: 'ApiError', layer: 'gate', status, message })
})

test.each([
  ['api_disabled', 'API Requests are disabled'],
  ['get_disabled', 'GET Requests are disabled'],
  ['no_secret_key', 'API must have Secret Key'],
  ['incorrect_hash', 'Incorrect hash'],
] as const)('the gate refuses %s in the documented words', (kind, message) => {
  expect(gateRefusal(kind)).toMatchObject({ layer: 'gate', status: 200, message })
})

test.each([
  ['an invalid value', invalid('pin'), 'pin is invalid'],
  ['an unsupported value', notSupported('order'), 'order is not supported'],
  ['characters that XML has not', invalidCharacters('name'), 'name has invalid characters'],
  ['a short password', passwordTooShort(6), 'Password must be longer than 5 characters'],
  ['a large answer', answerTooLarge(), 'The answer is too large: ask for less, or accept gzip'],
])('the method refuses %s', (_case, refusal, message) => {
  expect(refusal).toMatchObject({ layer: 'method', status: 200, message })
})
