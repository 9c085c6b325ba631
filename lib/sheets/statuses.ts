import { type Cell, type Question, shown } from './question.ts'

/** What a status column says of a row: its rate counts, or its prefixes end. */
export const STATUSES = ['kept', 'ended'] as const

export type Status = (typeof STATUSES)[number]

const ENDED = wordsOf(
  'closed close removed remove removal deleted delete deletion ended end ceased withdrawn discontinued terminated cancelled canceled dropped expired',
)

const KEPT = wordsOf(
  'new increase increased increasing decrease decreased decreasing unchanged same current change changed update updated added addition add active open existing valid modified no',
)

/** In any spelling: `Rate Increase`, `CLOSED`, `code removed`; `undefined` for words that nobody knows. */
export function statusOf(cell: string, known: Readonly<Record<string, Status>> = {}): Status | undefined {
  const text = cell.trim().toLowerCase()
  if (text === '') return 'kept'
  const told = Object.entries(known).find(([word]) => word.trim().toLowerCase() === text)?.[1]
  if (told !== undefined) return told
  const words = text.split(/[^a-z]+/)
  if (words.some((word) => ENDED.has(word))) return 'ended'
  return words.some((word) => KEPT.has(word)) ? 'kept' : undefined
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Asks for all the words at once that nobody knows. */
export function statusQuestion(
  cells: Iterable<Cell>,
  known?: Readonly<Record<string, Status>>,
): Question | undefined {
  const unknown = new Map<string, Cell>()
  for (const cell of cells) if (statusOf(cell.text, known) === undefined) unknown.set(cell.text, cell)
  if (unknown.size === 0) return undefined
  return {
    about: 'statuses',
    asks: `Is the rate of a row kept, or do its prefixes end: ${[...unknown.values()].slice(0, 10).map(shown).join(', ')}`,
    choices: STATUSES,
  }
}
