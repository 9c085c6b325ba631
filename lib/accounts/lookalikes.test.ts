import { expect, test } from 'vitest'
import { lookalikes } from './lookalikes.ts'

test.each([
  ['Carol', 'carol'],
  ['CAROL', 'Carol'],
  ['cAROl', 'carol'],
  ['\u0441\u0430r\u043el', 'carol'],
  ['\uff23arol', 'carol'],
  ['\u0441aro1', 'carol'],
  ['\u0430drnin', 'admin'],
  ['\u0391dmin', 'Admin'],
  ['\u{1d41a}dmin', 'admin'],
  ['\u017dana', '\u017eana'],
])('%j could be mistaken for %s', (name, other) => {
  expect(lookalikes(name)).toContain(other)
})

test.each([
  ['carol', 'carol'],
  ['caro1', 'carol'],
  ['m\u00f6ll', 'moll'],
  ['\u0436anna', 'xanna'],
])('%j is not mistaken for %s', (name, other) => {
  expect(lookalikes(name)).not.toContain(other)
})

test('the lookalikes of any name are few', () => {
  expect(lookalikes(`\u0441${'lo1m'.repeat(60)}`).length).toBeLessThanOrEqual(90)
  expect(lookalikes('37060012345')).toEqual([])
})
