type Found<T> = ReadonlyMap<number, T>

/** Finds by id what rows of a list refer to. */
export type Lookup<T> = (ids: Iterable<number | undefined>) => Promise<Found<T>>

/** Remembers what it has found: however long a list, every distinct id is read once, a batch of them in one go. */
export function createLookup<T>(
  find: (ids: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Lookup<T> {
  const known = new Map<number, T>()
  const asked = new Set<number>()

  return async (ids) => {
    const missing = [...new Set(ids)].filter((id) => id !== undefined && !asked.has(id)) as number[]
    const found = await find(missing)
    for (const [position, id] of missing.entries()) {
      asked.add(id)
      const one = found[position]
      if (one !== undefined) known.set(id, one)
    }
    return known
  }
}
