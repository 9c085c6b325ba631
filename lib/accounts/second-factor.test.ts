import { expect, test } from 'vitest'
import {
  authenticatorUri,
  codeOfStep,
  isFactorSecret,
  newFactorSecret,
  newSecondFactor,
  stepOfCode,
  typedCode,
  withoutRecovery,
} from './second-factor.ts'

/** "12345678901234567890" in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('at %d seconds the code ends as the vector of RFC 6238, appendix B', (now, vector) => {
  expect(codeOfStep(SECRET, Math.floor(now / 30))).toBe(vector.slice(-6))
  expect(stepOfCode(SECRET, vector.slice(-6), now)).toBe(Math.floor(now / 30))
})

/** RFC 4226, appendix D. */
test.each([
  '755224',
  '287082',
  '359152',
  '969429',
  '338314',
  '254676',
  '287922',
  '162583',
  '399871',
  '520489',
])('the code %s is one of the vectors of RFC 4226', (code) => {
  const steps = Array.from({ length: 10 }, (_, step) => codeOfStep(SECRET, step))
  expect(steps).toContain(code)
})

test('a code is taken a step before and after its own, and no longer', () => {
  const code = codeOfStep(SECRET, 100)
  const seenAt = (seconds: number) => stepOfCode(SECRET, code, seconds)

  expect([2969, 2970, 3000, 3059, 3060].map(seenAt)).toEqual([undefined, 100, 100, 100, undefined])
  expect(stepOfCode(SECRET, '', 3000)).toBeUndefined()
})

test('secrets and recovery codes are random, and a recovery code is right once', () => {
  const secret = newFactorSecret()
  const { factor, codes } = newSecondFactor(secret)
  const [first = ''] = codes

  expect([secret, newFactorSecret()].every(isFactorSecret)).toBe(true)
  expect(new Set([secret, newFactorSecret(), ...codes]).size).toBe(12)
  expect(first).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
  const left = withoutRecovery(factor, typedCode(first.toLowerCase()))
  expect(left?.recovery).toEqual(factor.recovery.slice(1))
  expect(left && withoutRecovery(left, typedCode(first))).toBeUndefined()
})

test('the address has names and secret as authenticators read them', () => {
  expect(authenticatorUri(SECRET, 'A & B', 'bob@x')).toBe(
    `otpauth://totp/A%20%26%20B:bob%40x?secret=${SECRET}&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30`,
  )
})
