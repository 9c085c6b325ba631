import { expect, test } from 'vitest'
import { Refusal } from '#lib/base/refusal.ts'
import { errorMessage, reportError } from './error-message.ts'

const failure = (name: string, more: object = {}) =>
  Object.assign(new Error('of a library'), { name, ...more })

const HERE = { tableName: 'tollgate', endpoint: 'http://127.0.0.1:8000' }

test.each([
  [
    failure('ResourceNotFoundException'),
    'There is no table tollgate at http://127.0.0.1:8000: name another one',
  ],
  [failure('Error', { code: 'ECONNREFUSED' }), 'No answer from http://127.0.0.1:8000: is npm start running?'],
  [
    failure('Error', { message: 'Region is missing' }),
    'The table tollgate is looked for in AWS, and its region or the credentials are not set: set AWS_REGION and AWS_PROFILE, name another DynamoDB with --endpoint, or ',
  ],
  [failure('AbortError', { code: 'ABORT_ERR' }), 'Stopped before an answer was given'],
  [
    failure('Error', { code: 'EADDRINUSE', port: 3100 }),
    'Port 3100 is taken: stop the program that listens there',
  ],
  [failure('TimeoutError'), 'http://127.0.0.1:8000 did not answer in time'],
  [failure('TimeoutError', { service: 'S3' }), 'S3 did not answer in time: run the same command again'],
  [failure('Error', { code: 'ENOTFOUND', service: 'S3' }), 'S3 is not found in this region'],
  [failure('Error', { code: 'ECONNREFUSED', service: 'S3' }), 'S3 does not answer: check S3_ENDPOINT'],
  [
    failure('Error', {
      message: "Cannot find package 'serverless' imported from /srv/tools/deployment/serverless.ts",
    }),
    "Cannot find package 'serverless': run npm ci, which",
  ],
  [failure('Error', { code: 'ENOSPC' }), 'The disk is full: free some space'],
  [
    Object.assign(new Error('commit failed (backend: database or disk is full) and rollback also failed'), {
      name: 'InternalServerError',
    }),
    'The disk is full: free some space',
  ],
  [
    Object.assign(new Error('database disk image is malformed'), { name: 'InternalServerError' }),
    'The data file is damaged, or is cut off: put a copy of it in its place',
  ],
  [
    failure('UnrecognizedClientException'),
    'http://127.0.0.1:8000 admits the access key of its npm start only',
  ],
  [
    failure('Error', { code: 'ELOOP', path: '/mnt/users.rejected.csv' }),
    '/mnt/users.rejected.csv: it is a symbolic link: remove it',
  ],
  [
    failure('Error', { code: 'EROFS', path: '/mnt/users.rejected.csv' }),
    '/mnt/users.rejected.csv: the disk is read-only: choose another folder',
  ],
  [
    failure('Error', { code: 'ENOENT', syscall: 'mkdir', path: `${import.meta.filename}/a/b` }),
    'a part of the path is not a folder: check the path',
  ],
])('an error that the operator can mend is one sentence: %s', (error, sentence) => {
  expect(errorMessage(error, HERE)).toContain(sentence)
})

test('the access key of an endpoint is not printed', () => {
  const location = { tableName: 'tollgate', endpoint: 'http://a-secret@127.0.0.1:8000' }

  expect(errorMessage(failure('TimeoutError'), location)).toMatch(/^http:\/\/127\.0\.0\.1:8000 did not/)
})

test('a table without an endpoint is one of DynamoDB', () => {
  expect(errorMessage(failure('TimeoutError'), { tableName: 'tollgate' })).toContain(
    'DynamoDB did not answer in time',
  )
})

test('a bug has no message', () => {
  expect(errorMessage(new TypeError('undefined is not a function'), HERE)).toBeUndefined()
})

test.each([
  [2, new Refusal('wrong_value', { value: 'red', takes: 'colour such as #0a7d5a' }, 'colour')],
  [1, new Refusal('no_balances', {})],
])('a command exits with %i for %s, wherever it is refused', (code, refusal) => {
  expect(reportError(refusal)).toBe(code)
})
