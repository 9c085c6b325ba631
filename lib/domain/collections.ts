/** Cuts a list into slices of at most `size` items. */
export function* slices<T>(list: Iterable<T>, size: number): Generator<T[]> {
  let slice: T[] = []
  for (const item of list) {
    slice.push(item)
    if (slice.length < size) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

/** Cuts a stream of items into batches of at most `size`. */
export async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Groups items by a key. Groups and their items keep the order of the list. */
export function groupBy<T, K>(list: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** Pairs each item with the value at the same index of another list. */
export const paired = <T, V>(items: readonly T[], values: readonly V[]): Map<T, V | undefined> =>
  new Map(items.map((item, index) => [item, values[index]]))

const MAX_CACHED = 5000

/**
 * Caches the results for the first `most` distinct keys, for cells that repeat. An `undefined` result is not cached.
 */
export function remembering<K, T>(read: (key: K) => T, most = MAX_CACHED): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const value = read(key)
    if (known.size < most) known.set(key, value)
    return value
  }
}

/** Computes a value once for each object. The cache does not keep the object alive. */
export function oncePerObject<K extends object, T>(compute: (object: K) => T): (object: K) => T {
  const known = new WeakMap<K, T>()
  return (object) => {
    const value = known.get(object) ?? compute(object)
    known.set(object, value)
    return value
  }
}

/** Calls `find` once for each key. Concurrent callers share one promise. */
export function once<T, K = number>(find: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const asked = known.get(key) ?? find(key)
    known.set(key, asked)
    return asked
  }
}

/** Compares for `sort`: numbers by size, texts by code units, as DynamoDB orders keys. */
export const ascending = <T extends string | number>(one: T, other: T): number =>
  Number(one > other) - Number(one < other)
