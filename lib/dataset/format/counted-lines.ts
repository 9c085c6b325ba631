import { type LinePair, nextPair } from '#lib/store/rates/line-pairs.ts'
import type { Counts } from './dataset-file.ts'

type KeyOf = (line: string) => string

/** What becomes of the lines of a list, whose keys are in order in both. */
export function countChanges(before: Iterable<string>, after: Iterable<string>, keyOf: KeyOf): Counts {
  const counts = { new: 0, changed: 0, unchanged: 0, removed: 0 }
  for (const pair of pairs(before[Symbol.iterator](), after[Symbol.iterator](), keyOf))
    counts[kindOf(pair)] += 1
  return counts
}

function kindOf({ before, after }: LinePair): keyof Counts {
  if (before === undefined) return 'new'
  if (after === undefined) return 'removed'
  return before === after ? 'unchanged' : 'changed'
}

/** Only the next line of each list need be known. */
function* pairs(before: Iterator<string>, after: Iterator<string>, keyOf: KeyOf): Generator<LinePair> {
  let [one, other] = [before.next(), after.next()]
  for (let next = nextPair(one, other, keyOf); next; next = nextPair(one, other, keyOf)) {
    yield next
    if (next.before !== undefined) one = before.next()
    if (next.after !== undefined) other = after.next()
  }
}
