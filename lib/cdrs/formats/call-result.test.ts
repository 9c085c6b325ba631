import { expect, test } from 'vitest'
import {
  causeByDisposition,
  dispositionByCause,
  dispositionOf,
  hangupCauseOf,
  hangupCauseOfSip,
  isKnownDisposition,
} from './call-result.ts'

test.each([
  ['ANSWERED', 'ANSWERED'],
  ['ANSWER', 'ANSWERED'],
  ['NO ANSWER', 'NO ANSWER'],
  ['NOANSWER', 'NO ANSWER'],
  ['no_answer', 'NO ANSWER'],
  ['CANCEL', 'NO ANSWER'],
  [' busy ', 'BUSY'],
  ['FAILED', 'FAILED'],
  ['CONGESTION', 'FAILED'],
  ['ok', 'ANSWERED'],
  ['8', 'ANSWERED'],
  ['Completed', 'ANSWERED'],
  ['Call connected', 'ANSWERED'],
  ['Accepted', 'ANSWERED'],
  ['200 OK', 'ANSWERED'],
  ['no-answer', 'NO ANSWER'],
  ['Not  Answered', 'NO ANSWER'],
  ['0', 'NO ANSWER'],
  ['offline', 'NO ANSWER'],
  ['canceled', 'NO ANSWER'],
  ['408', 'NO ANSWER'],
  ['4', 'BUSY'],
  ['486 Busy Here', 'BUSY'],
  ['other', 'FAILED'],
  ['16', 'FAILED'],
  ['503', 'FAILED'],
])('a switch’s word %j is the disposition %s', (word, disposition) => {
  expect(dispositionOf(word)).toBe(disposition)
  expect(isKnownDisposition(dispositionOf(word))).toBe(true)
})

test.each(['SPOKEN', 'ANSWER', 'busy', ''])('%j is not a disposition', (word) => {
  expect(isKnownDisposition(word)).toBe(false)
})

test.each([
  ['ANSWERED', 16],
  ['NO ANSWER', 19],
  ['BUSY', 17],
  ['FAILED', 41],
  ['SPOKEN', 0],
])('the cause of the disposition %s is %i', (disposition, cause) => {
  expect(causeByDisposition(disposition)).toBe(cause)
})

test.each([
  [true, 41, 'ANSWERED'],
  [false, 17, 'BUSY'],
  [false, 16, 'NO ANSWER'],
  [false, 18, 'NO ANSWER'],
  [false, 19, 'NO ANSWER'],
  [false, 20, 'NO ANSWER'],
  [false, 102, 'NO ANSWER'],
  [false, 1, 'FAILED'],
])('a call that was answered (%s) and ended with cause %i is %s', (isAnswered, cause, disposition) => {
  expect(dispositionByCause(isAnswered, cause)).toBe(disposition)
})

test.each([
  ['1', 1],
  ['127', 127],
  ['128', 16],
  ['USER_BUSY', 17],
  ['call_rejected', 21],
  ['LOSE_RACE', 16],
  ['', undefined],
  ['1234', undefined],
  ['31 or so', undefined],
  ['cause 31', undefined],
  ['SOME CAUSE', undefined],
  ['2_MANY', undefined],
  ['MANY_2', undefined],
])('a switch’s cause %j is %s', (words, cause) => {
  expect(hangupCauseOf(words)).toBe(cause)
})

test.each([
  [200, 16],
  [299, 16],
  [300, 127],
  [404, 1],
  [480, 18],
  [486, 17],
  [487, 16],
  [503, 41],
  [603, 21],
  [699, 127],
])('the cause of the SIP status %i is %i', (status, cause) => {
  expect(hangupCauseOfSip(status)).toBe(cause)
})
