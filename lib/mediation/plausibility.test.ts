import { expect, test } from 'vitest'
import { cdrsIn, demoDocument } from '#lib/testing/switch-documents.ts'
import { parse } from './parse.ts'
import { implausible } from './store-cdrs.ts'

const [cdr] = cdrsIn([
  ...parse({ format: 'asterisk-csv', source: 'pbx', zone: 'UTC', text: demoDocument('Master.csv') }),
])
if (!cdr) throw new Error('The demo has no CDR')

const now = cdr.start + 3600

test.each([
  ['a call of an hour ago', {}, undefined],
  ['one of a clock that is ahead', { start: now + 86_400 }, undefined],
  ['one from after tomorrow', { start: now + 86_401 }, 'impossible_time'],
  ['one from before 2000', { start: 946_684_799 }, 'impossible_time'],
  ['one with more billed than elapsed', { billsec: 77 }, 'billed_exceeds_duration'],
  ['one that nobody answered in words we know', { disposition: 'SPOKEN' }, 'unknown_disposition'],
  ['unknown words where nothing is billed', { disposition: 'SPOKEN', billsec: 0 }, undefined],
])('%s', (_case, change, reason) => {
  expect(implausible({ ...cdr, ...change }, now)?.reason).toBe(reason)
})
