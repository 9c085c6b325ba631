import { expect, test } from 'vitest'
import { asteriskCsv } from '#lib/intake/formats/asterisk-csv.ts'
import { callsIn, demoDocument } from '#lib/testing/switch-documents.ts'
import { lengthProblem, problemOf } from './check.ts'
import { uniqueIdOf } from './identity.ts'

const [call] = callsIn(asteriskCsv(demoDocument('Master.csv'), { source: 'pbx', zone: 'UTC' }))
if (!call) throw new Error('The demo has no call')

const now = call.start + 3600

test.each([
  ['a call of an hour ago', {}, undefined],
  ['one of a clock that is ahead', { start: now + 86_400 }, undefined],
  ['one from after tomorrow', { start: now + 86_401 }, 'impossible time'],
  ['one from before 2000', { start: 946_684_799 }, 'impossible time'],
  ['one with more billed than elapsed', { billsec: 77 }, 'more billed than elapsed'],
  ['one that nobody answered in words we know', { disposition: 'SPOKEN' }, 'unknown disposition'],
  ['unknown words where nothing is billed', { disposition: 'SPOKEN', billsec: 0 }, undefined],
])('%s', (_case, change, reason) => {
  expect(problemOf({ ...call, ...change }, now)?.reason).toBe(reason)
})

test.each([
  [undefined, 500, undefined],
  [500, 500, undefined],
  [501, 500, 'wrong length'],
  [undefined, 5_000_000, undefined],
])('a body that announces %s bytes and has %s', (declared, received, reason) => {
  expect(lengthProblem(declared, received)?.reason).toBe(reason)
})

test('the switch’s own id stays; without one, or with one that cannot be stored, the document makes one', () => {
  const made = uniqueIdOf('', 'pbx', 'a line')

  expect(uniqueIdOf('1773119520.40', 'pbx', 'a line')).toBe('1773119520.40')
  expect(made).toMatch(/^made-[0-9a-f]{32}$/)
  expect([uniqueIdOf('', 'pbx', 'a line'), uniqueIdOf('two words', 'pbx', 'a line')]).toEqual([made, made])
  expect([uniqueIdOf('', 'other', 'a line'), uniqueIdOf('', 'pbx', 'another')]).not.toContain(made)
})
