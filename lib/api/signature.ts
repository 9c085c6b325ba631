import { createHash } from 'node:crypto'
import { isSameText } from '#lib/base/digest.ts'
import type { RawParameters } from './raw-parameters.ts'

/**
 * The parameters that a client signs, in order. An order applies if the parameters in `when`, and none in `unless`, have
 * these literal values. With `sent`, one of the listed parameters must not be blank: otherwise the hash of the key alone
 * would sign a request (wire.md 3.2). With `unlessSent`, none of the listed parameters may be sent, not even blank.
 */
export interface HashOrder<N extends string = string> {
  readonly signs: readonly (N | 'u')[]
  readonly when?: Readonly<Record<string, string>>
  readonly unless?: Readonly<Record<string, string>>
  readonly sent?: readonly N[]
  readonly unlessSent?: readonly N[]
}

/**
 * SHA-1, in hex, of the values followed by the key. Missing values add nothing (wire.md 3.1). The values are raw,
 * because clients sign what they send.
 */
export const signatureOf = (raw: RawParameters, { signs }: HashOrder, secretKey: string): string =>
  createHash('sha1')
    .update(signs.map((name) => raw[name] ?? '').join('') + secretKey)
    .digest('hex')

/**
 * Whether the hash is a valid signature in any applicable order. The comparison takes constant time and ignores case.
 */
export function isSigned(raw: RawParameters, orders: readonly HashOrder[], secretKey: string): boolean {
  const hash = raw['hash']?.trim().toLowerCase() ?? ''
  const expected = orders
    .filter((order) => orderApplies(raw, order))
    .map((order) => signatureOf(raw, order, secretKey))
  return expected.map((signature) => isSameText(hash, signature)).includes(true)
}

export const orderApplies = (
  raw: RawParameters,
  { when = {}, unless = {}, sent, unlessSent = [] }: HashOrder,
): boolean =>
  Object.entries(when).every(([name, value]) => raw[name] === value) &&
  !Object.entries(unless).some(([name, value]) => raw[name] === value) &&
  (sent === undefined || sent.some((name) => raw[name])) &&
  !unlessSent.some((name) => raw[name] !== undefined)
