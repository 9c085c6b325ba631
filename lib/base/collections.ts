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
export async function* inBatches<T>(
  items: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Pairs each item with the value at the same index of another list. */
export const paired = <T, V>(items: readonly T[], values: readonly V[]): Map<T, V | undefined> =>
  new Map(items.map((item, index) => [item, values[index]]))

/** Makes a value when it is first needed: a cold start needs few of those that its modules declare. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

interface MemoizeOptions<K> {
  /** The number of results that are kept, 5,000 by default. The next one empties the memory. */
  readonly max?: number
  /** The value by which keys are compared; the key itself by default. */
  readonly by?: (key: K) => string
}

const MAX_MEMOIZED = 5000

/**
 * Computes a result once for each key. Concurrent callers share a promise. An object is remembered as long as
 * it lives, all other keys up to `max`. An `undefined` result is computed again.
 */
export function memoize<K, T>(
  compute: (key: K) => T,
  { max = MAX_MEMOIZED, by }: MemoizeOptions<K> = {},
): (key: K) => T {
  const known = new Map<unknown, T>()
  const ofObjects = new WeakMap<object, T>()
  return (key) => {
    const name = by ? by(key) : key
    const results: Results<T> = isObject(name) ? ofObjects : known
    const remembered = results.get(name)
    if (remembered !== undefined) return remembered
    const result = compute(key)
    if (known.size >= max) known.clear()
    results.set(name, result)
    return result
  }
}

interface Results<T> {
  get(name: unknown): T | undefined
  set(name: unknown, result: T): unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const namesIn = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]

/** Compares for `sort`: numbers by size, texts by code units, as DynamoDB orders keys. */
export const ascending = <T extends string | number>(one: T, other: T): number =>
  Number(one > other) - Number(one < other)
