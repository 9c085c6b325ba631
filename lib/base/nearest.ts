import { distance } from 'fastest-levenshtein'

/** The names that a mistyped word may mean, the likeliest first. */
export function nearestNames(word: string, names: Iterable<string>): string[] {
  const isLikely = (changes: number) => changes <= Math.max(Math.min(2, word.length - 2), word.length / 3)
  return [...names]
    .map((name) => ({ name, changes: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => isLikely(changes))
    .sort((one, other) => one.changes - other.changes)
    .slice(0, 3)
    .map(({ name }) => name)
}
