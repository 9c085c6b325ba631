import { type Cell, type Question, quoteCell } from './question.ts'

/** The meaning of a status: the rate of the row is valid, its prefixes end, or calls to them are blocked. */
export const STATUSES = ['kept', 'ended', 'blocked'] as const

export type Status = (typeof STATUSES)[number]

const ENDED = wordSet(
  'closed close removed remove removal deleted delete deletion ended end ceased withdrawn discontinued terminated cancelled canceled dropped expired',
)

const BLOCKED = wordSet('blocked barred')

const KEPT = wordSet(
  'new increase increased increasing decrease decreased decreasing unchanged same current change changed update updated added addition add active open existing valid modified no',
)

/** Reads a status such as `Rate Increase`, `CLOSED` or `code removed`. Returns `undefined` for unknown words. */
export function statusOf(cell: string, known: Readonly<Record<string, Status>> = {}): Status | undefined {
  const text = cell.trim().toLowerCase()
  if (text === '') return 'kept'
  const meaning = Object.entries(known).find(([word]) => word.trim().toLowerCase() === text)?.[1]
  if (meaning !== undefined) return meaning
  const words = text.split(/[^a-z]+/)
  if (words.some((word) => ENDED.has(word))) return 'ended'
  if (words.some((word) => BLOCKED.has(word))) return 'blocked'
  return words.some((word) => KEPT.has(word)) ? 'kept' : undefined
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Asks for all unknown words at once. */
export function statusQuestion(
  cells: Iterable<Cell>,
  known?: Readonly<Record<string, Status>>,
): Question | undefined {
  const unknown = new Map<string, Cell>()
  for (const cell of cells) if (statusOf(cell.text, known) === undefined) unknown.set(cell.text, cell)
  if (unknown.size === 0) return undefined
  return {
    about: 'statuses',
    asks: `Is the rate of a row kept, do its prefixes end, or are they blocked: ${[...unknown.values()].slice(0, 10).map(quoteCell).join(', ')}`,
    choices: STATUSES,
  }
}
