import { createHash } from 'node:crypto'
import { slices } from '#lib/base/collections.ts'
import type { RowCounts } from '#lib/base/row-refused.ts'

/** The lines of two sorted lists that have the same key. Either side may have none. */
export interface LineGroup {
  readonly key: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Merges two sorted lists key by key. A key is a leading part of a line. */
export function* mergeByKey(
  before: Iterable<string>,
  after: Iterable<string>,
  keyOf: (line: string) => string,
): Generator<LineGroup> {
  const [one, other] = [createCursor(before, keyOf), createCursor(after, keyOf)]
  for (let key = lower(one.key(), other.key()); key !== undefined; key = lower(one.key(), other.key()))
    yield { key, before: one.take(key), after: other.take(key) }
}

/** The change of a key that has at most one line before and one after. */
export function changeOf({ before: [before], after: [after] }: LineGroup): keyof RowCounts {
  if (before === undefined) return 'new'
  if (after === undefined) return 'removed'
  return before === after ? 'unchanged' : 'changed'
}

const lower = (one: string | undefined, other: string | undefined): string | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

/** Steps through a list, with one line in memory. */
function createCursor(lines: Iterable<string>, keyOf: (line: string) => string) {
  const rest = lines[Symbol.iterator]()
  let next = rest.next()
  let key = next.done ? undefined : keyOf(next.value)
  return {
    key: () => key,
    take: (wanted: string): readonly string[] => {
      const taken: string[] = []
      while (!next.done && key === wanted) {
        taken.push(next.value)
        next = rest.next()
        key = next.done ? undefined : keyOf(next.value)
      }
      return taken
    },
  }
}

const HASHED_AT_ONCE = 2000

/** The length of the lines in UTF-8, with line ends, and their digest. */
export function digestLines(lines: readonly string[]): { bytes: number; digest: string } {
  const hash = createHash('sha256')
  let bytes = 0
  for (const block of slices(lines, HASHED_AT_ONCE)) {
    const text = `${block.join('\n')}\n`
    hash.update(text)
    bytes += Buffer.byteLength(text)
  }
  return { bytes, digest: hash.digest('base64url') }
}
