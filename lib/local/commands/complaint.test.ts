import { expect, test } from 'vitest'
import { complaintOf } from './complaint.ts'

const failure = (name: string, more: object = {}) =>
  Object.assign(new Error('of a library'), { name, ...more })

const HERE = { tableName: 'tollgate', endpoint: 'http://127.0.0.1:8000' }

test.each([
  [failure('ResourceNotFoundException'), 'There is no table tollgate at http://127.0.0.1:8000.'],
  [
    failure('Error', { code: 'ECONNREFUSED' }),
    'Nothing answers at http://127.0.0.1:8000: is `npm start` running?',
  ],
  [failure('TimeoutError'), 'http://127.0.0.1:8000 has not answered for long'],
])('what an operator can do something about is a sentence: %s', (error, sentence) => {
  expect(complaintOf(error, HERE)).toContain(sentence)
})

test('a bug is none', () => {
  expect(complaintOf(new TypeError('undefined is not a function'), HERE)).toBeUndefined()
})
