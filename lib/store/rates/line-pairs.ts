/** Lines of two lists that have the same key, or the line of one that the other lacks. */
export interface LinePair {
  readonly before: string | undefined
  readonly after: string | undefined
}

type Next = IteratorResult<string>

/** The pair to look at, of the next lines of both lists; `undefined` after the last one. */
export function nextPair(one: Next, other: Next, keyOf: (line: string) => string): LinePair | undefined {
  if (one.done && other.done) return undefined
  const order = orderOf(one, other, keyOf)
  return { before: order <= 0 ? one.value : undefined, after: order >= 0 ? other.value : undefined }
}

/** Below 0: the first of both has a key that the other one lacks. */
function orderOf(one: Next, other: Next, keyOf: (line: string) => string): number {
  if (one.done) return 1
  if (other.done) return -1
  const [key, otherKey] = [keyOf(one.value), keyOf(other.value)]
  if (key === otherKey) return 0
  return key < otherKey ? -1 : 1
}
