import { createHash } from 'node:crypto'
import { isSameText } from '#lib/base/digest.ts'
import type { RawParameters } from './raw-parameters.ts'

/**
 * The parameters that a client signs, in order. An order applies if the parameters in `when`, and none in
 * `unless`, have these literal values. With `sent`, a listed parameter must not be blank: the key's hash
 * alone must not sign a request (wire.md 3.2). With `unlessSent`, none may be sent, even blank.
 */
export interface HashOrder<N extends string = string> {
  readonly signs: readonly (N | 'u')[]
  readonly when?: Readonly<Record<string, string>>
  readonly unless?: Readonly<Record<string, string>>
  readonly sent?: readonly N[]
  readonly unlessSent?: readonly N[]
  /** This setting refuses the order while on, and so does a key with `sign_all` (payment_create). */
  readonly unlessOn?: 'Payments_Sign_All'
}

/**
 * SHA-1, in hex, of the values followed by the key. Missing values add nothing (wire.md 3.1). The values are
 * raw, because clients sign what they send.
 */
export const signatureOf = (raw: RawParameters, { signs }: HashOrder, secretKey: string): string =>
  createHash('sha1')
    .update(signs.map((name) => raw[name] ?? '').join('') + secretKey)
    .digest('hex')

/** The first applicable order in which the hash is valid. Compares in constant time, ignoring case. */
export function signedOrder(
  raw: RawParameters,
  orders: readonly HashOrder[],
  secretKey: string,
): HashOrder | undefined {
  const hash = raw['hash']?.trim().toLowerCase() ?? ''
  const applicable = orders.filter((order) => orderApplies(raw, order))
  const matches = applicable.map((order) => isSameText(hash, signatureOf(raw, order, secretKey)))
  return applicable[matches.indexOf(true)]
}

export const isSigned = (raw: RawParameters, orders: readonly HashOrder[], secretKey: string): boolean =>
  signedOrder(raw, orders, secretKey) !== undefined

export const orderApplies = (
  raw: RawParameters,
  { when = {}, unless = {}, sent, unlessSent = [] }: HashOrder,
): boolean =>
  Object.entries(when).every(([name, value]) => raw[name] === value) &&
  !Object.entries(unless).some(([name, value]) => raw[name] === value) &&
  (sent === undefined || sent.some((name) => raw[name])) &&
  !unlessSent.some((name) => raw[name] !== undefined)
