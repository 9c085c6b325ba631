import { explainHash, type Finding, type SignedCall } from './explain-hash.ts'

/**
 * The number of refused calls that are examined in a minute. A flood costs a fifth of a second of processor time each minute.
 */
const MAX_CALLS_A_MINUTE = 10

/** Describes the hash of a refused call as a code; `undefined` once the limit of the last minute is reached. */
type HashDescriber = (call: SignedCall, now: Date) => string | undefined

export function createHashDescriber(): HashDescriber {
  let recent: number[] = []
  return (call, now) => {
    recent = recent.filter((at) => at > now.getTime() - 60_000)
    if (recent.length >= MAX_CALLS_A_MINUTE) return undefined
    recent.push(now.getTime())
    return findingCode(explainHash(call), call)
  }
}

/** The describer of this process. */
export const describeRefusedHash: HashDescriber = createHashDescriber()

/**
 * Describes a refused hash for a log: the signed parameters in order and the key, then codes for what was unusual, such as
 * `currency+rate+key trimmed in_front sha256`. Otherwise it is `none_sent`, `not_a_hash` or `unknown`. It contains neither
 * values nor keys, nor the name of a parameter that the method does not have.
 */
export function findingCode({ match, hash }: Finding, { contract, sent }: SignedCall): string {
  if (!sent['hash']?.trim()) return 'none_sent'
  if (!hash) return 'not_a_hash'
  if (!match) return 'unknown'
  const names = match.order.signs.filter((name) => sent[name]).map((name) => safeName(name, contract))
  const unusual = [match.values.code, match.key.code, hash.algorithm, hash.base64 ? 'base64' : 'hex'].filter(
    (code) => !USUAL_CODES.includes(code),
  )
  return [[...names, 'key'].join('+'), ...unusual].join(' ')
}

const USUAL_CODES = ['as_sent', 'behind', 'sha1', 'hex']

const safeName = (name: string, { params }: SignedCall['contract']): string =>
  name === 'u' || name === 'p' || Object.hasOwn(params, name) ? name : '?'
