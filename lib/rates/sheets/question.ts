/** A question that a rate sheet leaves open. */
export interface Question {
  /** The key of the profile for the answer. */
  readonly about: string
  readonly asks: string
  /** The possible answers; none for free text. */
  readonly choices: readonly string[]
  /** The headings or the words that the question is about, where each has an answer of its own. */
  readonly words?: readonly string[]
}

export const isQuestion = (decision: unknown): decision is Question =>
  typeof decision === 'object' && decision !== null && 'asks' in decision

/** Whether a plan could not be made before these questions are answered. */
export const isQuestions = <T extends object>(plan: T | readonly Question[]): plan is readonly Question[] =>
  Array.isArray(plan)

/** A cell with its line, as an example in a question. */
export interface Cell {
  readonly line: number
  readonly text: string
}

const SHOWN_CHARACTERS = 60

/** Quotes a text, or the start of a long one. */
export const quoteText = (text: string): string =>
  JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text)

export const quoteCell = ({ line, text }: Cell): string => `${quoteText(text)} in line ${line}`

/** The question with the first cell that `isOpen` finds as its example; `undefined` if it finds none. */
export function questionOfFirst<C extends Cell>(
  cells: Iterable<C>,
  isOpen: (cell: C) => boolean,
  { about, asks, choices }: Question,
): Question | undefined {
  for (const cell of cells) if (isOpen(cell)) return { about, asks: `${asks}: ${quoteCell(cell)}`, choices }
  return undefined
}

/** The evidence of a cell for one of two readings, for either, or for none. */
export type CellEvidence<W extends string> = W | 'either' | undefined

/** Two ways to read the cells of a sheet. */
interface Choice<W extends string> {
  readonly about: string
  readonly ways: readonly [W, W]
  /** The question without the examples. */
  readonly asks: string
  readonly evidenceIn: (text: string) => CellEvidence<W>
}

/**
 * Chooses one way to read all cells: the way that some of them show, if none shows the other. Returns a
 * question if cells show both, or could be either and none decides; `undefined` without any evidence.
 */
export function chooseReading<W extends string>(
  choice: Choice<W>,
  cells: Iterable<Cell>,
): W | Question | undefined {
  const found = new Map<CellEvidence<W>, Cell>()
  for (const cell of cells) {
    const evidence = choice.evidenceIn(cell.text)
    if (evidence !== undefined && !found.has(evidence)) found.set(evidence, cell)
  }
  const [one, other] = choice.ways
  if (found.has(one) !== found.has(other)) return found.has(one) ? one : other
  if (found.size === 0) return undefined
  const examples = [...found.values()].slice(0, 2).map(quoteCell).join(' and ')
  return { about: choice.about, asks: `${choice.asks}: ${examples}`, choices: choice.ways }
}
