/** A long list in parts that are read or written together. */
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

/** The same for items that arrive one after the other. */
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

/** Items that have something in common, each group in the order of the list. */
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

const MOST_REMEMBERED = 5000

/** For cells that repeat themselves: what one says is worked out once, for the first `most` different ones. */
export function remembering<K, T>(read: (key: K) => T, most = MOST_REMEMBERED): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const value = read(key)
    if (known.size < most) known.set(key, value)
    return value
  }
}

/** Computes a value once for each object, and forgets it with the object. */
export function oncePerObject<K extends object, T>(compute: (object: K) => T): (object: K) => T {
  const known = new WeakMap<K, T>()
  return (object) => {
    const value = known.get(object) ?? compute(object)
    known.set(object, value)
    return value
  }
}

/** Asks once for each key; whoever asks again, even before a promised answer is there, gets the same answer. */
export function once<T, K = number>(find: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const asked = known.get(key) ?? find(key)
    known.set(key, asked)
    return asked
  }
}
