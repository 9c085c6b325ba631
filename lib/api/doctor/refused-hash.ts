import type { SentV2 } from '#lib/api/keys/signature-v2.ts'
import { MIN_KEY_LENGTH } from '#lib/settings/settings.ts'
import { constantIn, explainHash, type Finding, type SignedCall } from './explain-hash.ts'
import { explainV2 } from './explain-v2.ts'

/**
 * The number of refused calls that are examined in a minute. A flood costs a fifth of a second of processor time each minute,
 * for each key that may have signed.
 */
const MAX_CALLS_A_MINUTE = 10

/** Describes the hash of a refused call as a code; `undefined` once the limit of the last minute is reached. */
type HashDescriber = (call: RefusedCall, now: Date) => string | undefined

interface RefusedCall extends SignedCall {
  /** The secrets of the account's named keys. */
  readonly namedKeys?: readonly string[]
  readonly v2?: SentV2 | undefined
}

export function createHashDescriber(): HashDescriber {
  let recent: number[] = []
  return (call, now) => {
    recent = recent.filter((at) => at > now.getTime() - 60_000)
    if (recent.length >= MAX_CALLS_A_MINUTE) return undefined
    recent.push(now.getTime())
    return call.v2 ? explainV2({ v2: call.v2, secrets: keysOf(call), now }).code : describeHash(call)
  }
}

const keysOf = ({ key, namedKeys = [] }: RefusedCall): string[] =>
  [key, ...namedKeys].filter((one) => one.length >= MIN_KEY_LENGTH)

/** Describes the hash under the key of the installation, otherwise under the first named key that made it. */
function describeHash(call: RefusedCall): string {
  for (const key of [call.key, ...(call.namedKeys ?? [])]) {
    const code = findingCode(explainHash({ ...call, key }), call)
    if (code !== 'unknown') return code
  }
  return 'unknown'
}

/** The describer of this process. */
export const describeRefusedHash: HashDescriber = createHashDescriber()

/**
 * Describes a refused hash for a log: the signed parameters in order and the key, then codes for what was unusual, such as
 * `currency+rate+key trimmed in_front sha256`. Otherwise it is `none_sent`, `not_a_hash`, `unknown`, or the constant that was
 * sent: `uniquehash` or `value_of id`. It contains neither values nor keys, nor the name of a parameter that the method does
 * not have.
 */
export function findingCode({ match, hash }: Finding, call: SignedCall): string {
  const { contract, sent } = call
  const constant = constantCode(call)
  if (constant !== undefined) return constant
  if (!sent['hash']?.trim()) return 'none_sent'
  if (!hash) return 'not_a_hash'
  if (!match) return 'unknown'
  const names = match.order.signs.filter((name) => sent[name]).map((name) => safeName(name, contract))
  const unusual = [match.values.code, match.key.code, hash.algorithm, hash.base64 ? 'base64' : 'hex'].filter(
    (code) => !USUAL_CODES.includes(code),
  )
  return [[...names, 'key'].join('+'), ...unusual].join(' ')
}

function constantCode(call: SignedCall): string | undefined {
  const constant = constantIn(call)
  if (!constant) return undefined
  return constant.of === 'uniquehash' ? 'uniquehash' : `value_of ${safeName(constant.name, call.contract)}`
}

const USUAL_CODES = ['as_sent', 'behind', 'sha1', 'hex']

const safeName = (name: string, { params }: SignedCall['contract']): string =>
  name === 'u' || name === 'p' || Object.hasOwn(params, name) ? name : '?'
