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
