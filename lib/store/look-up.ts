/** Things by their ids. */
export type ById<T> = ReadonlyMap<number, T | undefined>

/**
 * Looks things up by id, page after page of a long list: each distinct id is read once, those of a page together. What
 * is not there any more is remembered as missing.
 */
export function lookUpOnce<T>(
  find: (ids: readonly number[]) => Promise<readonly (T | undefined)[]>,
): (ids: readonly (number | undefined)[]) => Promise<ById<T>> {
  const known = new Map<number, T | undefined>()
  return async (ids) => {
    const wanted = [...new Set(ids)].filter((id) => id !== undefined && !known.has(id)) as number[]
    const found = await find(wanted)
    for (const [position, id] of wanted.entries()) known.set(id, found[position])
    return known
  }
}
