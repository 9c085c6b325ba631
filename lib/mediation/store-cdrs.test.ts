import { expect, test } from 'vitest'
import { cdrsIn, demoDocument } from '#lib/testing/mediation/switch-documents.ts'
import { parse } from './parse.ts'
import { implausible } from './store-cdrs.ts'

const [cdr] = cdrsIn([
  ...parse({ format: 'asterisk-csv', source: 'pbx', zone: 'UTC', text: demoDocument('Master.csv') }),
])
if (!cdr) throw new Error('The demo has no CDR')

const now = cdr.start + 3600

test.each([
  ['a call of an hour ago is plausible', {}, undefined],
  ['a call of a clock that is a day ahead is plausible', { start: now + 86_400 }, undefined],
  ['a start more than a day ahead is impossible', { start: now + 86_401 }, 'impossible_time'],
  ['a start before 2000 is impossible', { start: 946_684_799 }, 'impossible_time'],
  ['the billed length is at most the duration', { billsec: 77 }, 'billed_exceeds_duration'],
  ['a billed call needs a known disposition', { disposition: 'SPOKEN' }, 'unknown_disposition'],
  [
    'a call without billed seconds may have an unknown disposition',
    { disposition: 'SPOKEN', billsec: 0 },
    undefined,
  ],
])('%s', (_case, change, reason) => {
  expect(implausible({ ...cdr, ...change }, now)?.reason).toBe(reason)
})
