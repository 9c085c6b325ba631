import type { Finding, SignedCall } from './explain-hash.ts'

/**
 * What a refused hash was made of, for a log: the parameters in their order and the key, and codes for what else was
 * unusual, such as `currency+rate+key trimmed in_front sha256`. `none_sent`, `not_a_hash` or `unknown` where there is
 * nothing to tell. Never holds a value or a key; of a parameter that the method does not take not even its name.
 */
export function findingCode({ match, hash }: Finding, { contract, sent }: SignedCall): string {
  if (!sent['hash']?.trim()) return 'none_sent'
  if (!hash) return 'not_a_hash'
  if (!match) return 'unknown'
  const names = match.order.signs.filter((name) => sent[name]).map((name) => known(name, contract))
  const unusual = [match.values.code, match.key.code, hash.algorithm, hash.base64 ? 'base64' : 'hex'].filter(
    (code) => !USUAL.includes(code),
  )
  return [[...names, 'key'].join('+'), ...unusual].join(' ')
}

const USUAL = ['as_sent', 'behind', 'sha1', 'hex']

const known = (name: string, { params }: SignedCall['contract']): string =>
  name === 'u' || name === 'p' || Object.hasOwn(params, name) ? name : '?'
