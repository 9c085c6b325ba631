import type { Contract } from '../method.ts'
import type { RawParameters } from '../raw-parameters.ts'
import { isSigned } from '../signature.ts'
import { arrangements, type Candidate, candidatesFor, documentedOrders } from './orders.ts'
import {
  type HashAlgorithm,
  type KeySpelling,
  keySpellings,
  VALUE_SPELLINGS,
  type ValueSpelling,
} from './spellings.ts'

export interface SignedCall {
  readonly contract: Pick<Contract, 'name' | 'params' | 'hashOrders' | 'callers'>
  /** The raw parameters, `hash` included. */
  readonly sent: RawParameters
  readonly key: string
  readonly oldKey?: string | undefined
  /** The uniquehash of the account in `u`, where it is known. */
  readonly uniquehash?: string | undefined
}

/** A way of signing that produces the sent hash. */
export interface Match {
  readonly order: Candidate
  readonly values: ValueSpelling
  readonly key: KeySpelling
}

export interface Finding {
  readonly accepted: boolean
  /** Missing if there was no hash, or if no known way of signing produces it. */
  readonly match?: Match
  readonly hash?: SentHash
  /** The number of hashes that were computed. */
  readonly tried: number
}

/** A value that a client sends as its hash although it signs nothing. */
export type Constant = { readonly of: 'uniquehash' } | { readonly of: 'parameter'; readonly name: string }

/** Recognises the uniquehash of the account, or the value of another parameter, in the place of a hash. */
export function constantIn({
  sent,
  uniquehash,
}: Pick<SignedCall, 'sent' | 'uniquehash'>): Constant | undefined {
  const hash = sent['hash']?.trim() ?? ''
  if (hash === '') return undefined
  if (hash === uniquehash) return { of: 'uniquehash' }
  const name = Object.keys(sent).find((one) => one !== 'hash' && sent[one]?.trim() === hash)
  return name === undefined ? undefined : { of: 'parameter', name }
}

/** The limit of hashes for one call, which take less than 20 ms of a processor. */
const MAX_HASHES = 4000
/** The limit of characters over all hashes of one call, since bodies may be long. */
const MAX_CHARACTERS = 2_000_000

/** Finds the simplest way of signing that produces the hash of a call. */
export function explainHash(call: SignedCall): Finding {
  const { contract, sent, key } = call
  if (contract.callers === 'public') return { accepted: true, tried: 0 }
  const hash = readHash(sent['hash'] ?? '')
  if (!hash) return { accepted: false, tried: 0 }
  const accepted = isSigned(sent, contract.hashOrders, key)
  const weight = Object.values(sent).join('').length + key.length
  const maxHashes = Math.min(MAX_HASHES, Math.floor(MAX_CHARACTERS / weight))
  return { accepted, hash, ...firstMatch(call, hash, maxHashes) }
}

function firstMatch(call: SignedCall, hash: SentHash, maxHashes: number): Pick<Finding, 'match' | 'tried'> {
  let tried = 0
  for (const way of waysToSign(call)) {
    if (tried === maxHashes) break
    tried++
    if (digestOf(way, call, hash) === hash.hex) return { match: way, tried }
  }
  return { tried }
}

function digestOf({ order, values, key: spelled }: Match, { sent, key }: SignedCall, hash: SentHash): string {
  const pieces = values.pieces(order.signs.map((name) => [name, sent[name]]))
  const encoding = values.latin1 ? 'latin1' : 'utf8'
  return spelled.digest({ pieces, glue: values.glue ?? '', key, encoding }, hash.algorithm)
}

/**
 * The known ways of signing, the likeliest first. At most two of order, values and key are unusual at a time,
 * unless the order is a documented one. All other arrangements of the parameters come last.
 */
function* waysToSign({ contract, sent, oldKey }: SignedCall): Generator<Match> {
  const documented = documentedOrders(sent, contract.hashOrders)
  const orders = candidatesFor(sent, contract.hashOrders, Object.keys(contract.params))
  const keys = keySpellings(oldKey)
  const [usualValues, usualKey] = [VALUE_SPELLINGS.slice(0, 1), keys.slice(0, 1)]
  yield* combined(orders, usualValues, usualKey)
  yield* combined(documented, VALUE_SPELLINGS, keys)
  yield* combined(orders, VALUE_SPELLINGS, usualKey)
  yield* combined(orders, usualValues, keys)
  yield* combined(arrangements(sent, documented[0]?.signs ?? []), usualValues, usualKey)
}

function* combined(
  orders: Iterable<Candidate>,
  values: readonly ValueSpelling[],
  keys: readonly KeySpelling[],
): Generator<Match> {
  for (const order of orders)
    for (const spelling of values) yield* keys.map((key) => ({ order, values: spelling, key }))
}

/** A hash as it was sent, converted to hex in lower case. */
interface SentHash {
  readonly hex: string
  readonly algorithm: HashAlgorithm
  /** The hash was sent in base64 instead of hex. */
  readonly base64?: true
}

const ALGORITHM_BY_DIGITS: Readonly<Partial<Record<number, HashAlgorithm>>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  128: 'sha512',
}

/** Recognises the algorithm of a hash by its length; `undefined` for text that is not a hash. */
function readHash(sent: string): SentHash | undefined {
  const hex = sent.trim().toLowerCase()
  const algorithm = /^[0-9a-f]+$/.test(hex) ? ALGORITHM_BY_DIGITS[hex.length] : undefined
  if (algorithm) return { hex, algorithm }
  const decoded = Buffer.from(sent.trim(), 'base64').toString('hex')
  const inBase64 = /^[\w+/-]+=*$/.test(sent.trim()) ? ALGORITHM_BY_DIGITS[decoded.length] : undefined
  return inBase64 && { hex: decoded, algorithm: inBase64, base64: true }
}
