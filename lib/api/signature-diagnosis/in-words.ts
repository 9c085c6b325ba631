import { type HashOrder, orderApplies } from '../signature.ts'
import { type Constant, constantIn, type Finding, type Match, type SignedCall } from './explain-hash.ts'
import { documentedOrders } from './orders.ts'
import { WITHOUT_KEY } from './spellings.ts'

/** A finding in sentences, which contain neither the key nor a value. */
export interface HashExplanation {
  readonly says: string
  /** The changes to make, one sentence each. */
  readonly advice: readonly string[]
}

/** Explains what a hash was made of, and what to change so that it is accepted. */
export function hashExplanation(finding: Finding, call: SignedCall): HashExplanation {
  const { name, callers } = call.contract
  if (callers === 'public') return { says: `${name} is not signed: its hash is ignored.`, advice: [] }
  if (finding.match && finding.accepted) return accepted(finding.match, call)
  const sign = `Sign ${inSum(rightNames(asMeant(call)))}.`
  return notSigned(call, sign) ?? unaccepted(finding, call, sign)
}

/** A hash that no parameters can produce. */
function notSigned(call: SignedCall, sign: string): HashExplanation | undefined {
  if (asMeant(call) !== call) return { says: BRACKETS, advice: ['Send the names without [].', sign] }
  const constant = constantIn(call)
  if (constant) return { says: constantInWords(constant), advice: [NO_CONSTANT, sign] }
  return undefined
}

function unaccepted(finding: Finding, call: SignedCall, sign: string): HashExplanation {
  if (finding.match) return refused(finding, finding.match, call)
  if (!call.sent['hash']?.trim()) return { says: 'No hash was sent.', advice: [sign] }
  if (!finding.hash)
    return { says: 'This is not a hash: SHA-1 in hex has 40 digits, 0 to 9 and a to f.', advice: [sign] }
  return {
    says: `None of ${finding.tried} known ways of signing produces this hash.`,
    advice: [
      'Either the key is different, or a value was changed after it was hashed.',
      ...(finding.hash.algorithm === 'md5' ? [LIKE_A_UNIQUEHASH] : []),
      sign,
    ],
  }
}

const BRACKETS = 'The name of a parameter ends with [], as PHP names lists: the API has no such parameter.'

/** The call with the names that a client meant by `user_id[]`; the call itself if there are none. */
function asMeant(call: SignedCall): SignedCall {
  const entries = Object.entries(call.sent).map(
    ([name, value]) => [name.replace(/\[\d*\]$/, ''), value] as const,
  )
  const isMeant = entries.some(([name]) => !Object.hasOwn(call.sent, name) && call.contract.params[name])
  return isMeant ? { ...call, sent: Object.fromEntries(entries) } : call
}

const NO_CONSTANT = 'A constant signs nothing: anyone who has seen one call could make every other one.'

/** A uniquehash of the original has as many digits as an MD5. */
const LIKE_A_UNIQUEHASH =
  'If it is the uniquehash of an account: it signs nothing, and is not a hash of a call.'

const constantInWords = (constant: Constant): string =>
  constant.of === 'uniquehash'
    ? 'The uniquehash of the account was sent instead of a hash.'
    : `The value of ${constant.name} was sent instead of a hash.`

function accepted({ order }: Match, call: SignedCall): HashExplanation {
  const isFirst = rightOrder(call)?.signs === order.signs
  const rank = isFirst ? 'as documented' : `an order that ${call.contract.name} also accepts`
  return {
    says: `The hash is right: it was made of ${inSum(signedNames(order.signs, call))}, ${rank}.`,
    advice: [],
  }
}

function refused({ hash }: Finding, match: Match, call: SignedCall): HashExplanation {
  const { order, values, key } = match
  const names = signedNames(order.signs, call)
  const made = key === WITHOUT_KEY ? names.join(' + ') || 'nothing' : inSum(names)
  const how = [order.from, values.says, key.says, formOf(hash)].filter((words) => words)
  const right = rightNames(call, match)
  return {
    says: `The hash was made of ${[made, ...new Set(how)].join(', ')}.`,
    advice: [
      ...orderAdvice(names, right),
      ...(hash && formOf(hash) ? ['The hash is SHA-1 in hex.'] : []),
      ...new Set([values.advice, key.advice].filter((words) => words)),
      `Sign ${inSum(right)}.`,
    ],
  }
}

function formOf(hash: Finding['hash']): string {
  const algorithm = hash && hash.algorithm !== 'sha1' ? `by ${hash.algorithm.toUpperCase()}` : ''
  return [algorithm, hash?.base64 ? 'in base64' : ''].filter((words) => words).join(' ')
}

/** Names the missing and the surplus parameters; if there are none, only the order differs. */
function orderAdvice(made: readonly string[], right: readonly string[]): string[] {
  const missing = right.filter((name) => !made.includes(name))
  const surplus = made.filter((name) => !right.includes(name))
  const moved = missing.length + surplus.length === 0 && made.join() !== right.join()
  return [
    ...missing.map((name) => `${name} was sent, so it counts.`),
    ...surplus.map((name) => `${name} is not signed.`),
    ...(moved ? ['The order of the parameters counts.'] : []),
  ]
}

/** The string to hash: the values as they were sent, with a placeholder wherever the key occurs. */
export function stringToSign(sent: SignedCall): string {
  const call = asMeant(sent)
  const values = rightNames(call).map((name) => call.sent[name])
  return [...(call.key ? values.join('').split(call.key) : [values.join('')]), ''].join('<key>')
}

/** The names whose values add something to the hash. */
const signedNames = (names: readonly string[], { sent }: SignedCall): string[] =>
  names.filter((name) => sent[name])

/** The parameters of the order that the client used if it applies, otherwise of the documented order. */
function rightNames(call: SignedCall, match?: Match): string[] {
  const meant = call.contract.hashOrders.find(
    (order) => order.signs === match?.order.signs && orderApplies(call.sent, order),
  )
  return signedNames((meant ?? rightOrder(call))?.signs ?? [], call)
}

const rightOrder = ({ contract, sent }: SignedCall): HashOrder | undefined =>
  documentedOrders(sent, contract.hashOrders)[0]

const inSum = (names: readonly string[]): string =>
  names.length === 0 ? 'the key alone' : [...names, 'key'].join(' + ')
