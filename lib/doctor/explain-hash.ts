import type { Contract } from '#lib/api/method.ts'
import type { RawParameters } from '#lib/api/sent.ts'
import { isSigned } from '#lib/api/signature.ts'
import { type HashText, readHash } from './hash-text.ts'
import { arrangements, type Candidate, candidatesFor, documentedOrders } from './orders.ts'
import { type KeySpelling, keySpellings, VALUE_SPELLINGS, type ValueSpelling } from './spellings.ts'

/** A call of which somebody wants to know what its hash was made of. */
export interface SignedCall {
  readonly contract: Pick<Contract, 'name' | 'params' | 'hashOrders' | 'callers'>
  /** What was sent, `hash` included, as the signature counts it: nothing is trimmed. */
  readonly sent: RawParameters
  readonly key: string
  /** A key that was in use before. */
  readonly oldKey?: string | undefined
}

/** A way to sign that gives the hash that was sent. */
export interface Match {
  readonly order: Candidate
  readonly values: ValueSpelling
  readonly key: KeySpelling
}

export interface Finding {
  readonly accepted: boolean
  /** Missing when nothing was hashed, or when no way that clients know gives this hash. */
  readonly match?: Match
  readonly hash?: HashText
  /** How many hashes it took to find out. */
  readonly tried: number
}

/** One call may cost this many hashes: fewer than 20 ms of a processor. */
const MOST_HASHES = 4000
/** Bodies may be long: over so many characters in all, hashed or joined, nobody goes on. */
const MOST_CHARACTERS = 2_000_000

/**
 * What the hash of a call was made of, the simplest explanation first. Nobody looks for longer than so many milliseconds,
 * where they are given.
 */
export function explainHash(
  { contract, sent, key, oldKey }: SignedCall,
  milliseconds = Number.POSITIVE_INFINITY,
): Finding {
  const until = performance.now() + milliseconds
  if (contract.callers === 'public') return { accepted: true, tried: 0 }
  const hash = readHash(sent['hash'] ?? '')
  if (!hash) return { accepted: false, tried: 0 }
  const accepted = isSigned(sent, contract.hashOrders, key)
  const weight = Object.values(sent).join('').length + key.length
  const most = Math.min(MOST_HASHES, Math.floor(MOST_CHARACTERS / weight))
  return {
    accepted,
    hash,
    ...firstMatch(waysToSign({ contract, sent, oldKey }), { sent, key, hash, most, until }),
  }
}

interface Search {
  readonly sent: RawParameters
  readonly key: string
  readonly hash: HashText
  readonly most: number
  /** As `performance.now` says it. */
  readonly until: number
}

function firstMatch(
  ways: Iterable<Match>,
  { sent, key, hash, most, until }: Search,
): Pick<Finding, 'match' | 'tried'> {
  let tried = 0
  for (const way of ways) {
    if (tried === most || performance.now() > until) break
    tried++
    if (digestOf(way, { sent, key, hash }) === hash.hex) return { match: way, tried }
  }
  return { tried }
}

function digestOf(
  { order, values, key: spelled }: Match,
  { sent, key, hash }: Pick<Search, 'sent' | 'key' | 'hash'>,
): string {
  const pieces = values.pieces(order.signs.map((name) => [name, sent[name]]))
  const encoding = values.latin1 ? 'latin1' : 'utf8'
  return spelled.digest({ pieces, glue: values.glue ?? '', key, encoding }, hash.algorithm)
}

/**
 * Everything that clients really do, the likeliest first: of order, values and key at most two are unusual at a time,
 * unless the order is a documented one. Any other arrangement comes last.
 */
function* waysToSign({ contract, sent, oldKey }: Omit<SignedCall, 'key'>): Generator<Match> {
  const documented = documentedOrders(sent, contract.hashOrders)
  const orders = candidatesFor(sent, contract.hashOrders, Object.keys(contract.params))
  const keys = keySpellings(oldKey)
  yield* combined({ orders, values: VALUE_SPELLINGS.slice(0, 1), keys: keys.slice(0, 1) })
  yield* combined({ orders: documented, values: VALUE_SPELLINGS, keys })
  yield* combined({ orders, values: VALUE_SPELLINGS, keys: keys.slice(0, 1) })
  yield* combined({ orders, values: VALUE_SPELLINGS.slice(0, 1), keys })
  const anyOrder = arrangements(sent, documented[0]?.signs ?? [])
  yield* combined({ orders: anyOrder, values: VALUE_SPELLINGS.slice(0, 1), keys: keys.slice(0, 1) })
}

interface Choices {
  readonly orders: Iterable<Candidate>
  readonly values: readonly ValueSpelling[]
  readonly keys: readonly KeySpelling[]
}

function* combined({ orders, values, keys }: Choices): Generator<Match> {
  for (const order of orders)
    for (const spelling of values) yield* keys.map((key) => ({ order, values: spelling, key }))
}
