import { createHash, timingSafeEqual } from 'node:crypto'
import type { RawParameters } from './sent.ts'

/**
 * Which parameters a client signs, in order. `when` and `unless` name a literal value of a parameter that decides
 * whether the order applies; one with `sent` applies only when one of these says something, so that the hash of the key
 * alone signs nothing that the order leaves out (wire.md 3.2).
 */
export interface HashOrder<N extends string = string> {
  readonly signs: readonly (N | 'u')[]
  readonly when?: Readonly<Record<string, string>>
  readonly unless?: Readonly<Record<string, string>>
  readonly sent?: readonly N[]
}

/**
 * SHA-1 hex over the values as sent, then the key. Values that were not sent add nothing (wire.md 3.1).
 * Raw values, because the client signed what it sent.
 */
export const signatureOf = (raw: RawParameters, { signs }: HashOrder, secretKey: string): string =>
  createHash('sha1')
    .update(signs.map((name) => raw[name] ?? '').join('') + secretKey)
    .digest('hex')

/** Whether the hash is the signature in any of the orders that apply. Compared in constant time, hex in either case. */
export function isSigned(raw: RawParameters, orders: readonly HashOrder[], secretKey: string): boolean {
  const hash = Buffer.from(raw['hash']?.trim().toLowerCase() ?? '')
  const expected = orders
    .filter((order) => applies(raw, order))
    .map((order) => signatureOf(raw, order, secretKey))
  return expected.map((signature) => isSame(hash, Buffer.from(signature))).includes(true)
}

export const applies = (raw: RawParameters, { when = {}, unless = {}, sent }: HashOrder): boolean =>
  Object.entries(when).every(([name, value]) => raw[name] === value) &&
  !Object.entries(unless).some(([name, value]) => raw[name] === value) &&
  (sent === undefined || sent.some((name) => raw[name]))

const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
