/** What only a person knows. The answer belongs into the profile, under the key that `about` names. */
export interface Question {
  readonly about: string
  readonly asks: string
  /** The answers that can be given; none for free text. */
  readonly choices: readonly string[]
}

export const isQuestion = (decision: unknown): decision is Question =>
  typeof decision === 'object' && decision !== null && 'asks' in decision

/** A cell where it was found, to show what a question is about. */
export interface Cell {
  readonly line: number
  readonly text: string
}

export const shown = ({ line, text }: Cell): string => `${JSON.stringify(text)} in line ${line}`

/** What a cell says about two ways of reading a sheet: one of them, that it could be either, or nothing. */
export type Sighting<W extends string> = W | 'either' | undefined

export interface Choice<W extends string> {
  readonly about: string
  readonly ways: readonly [W, W]
  /** What is asked, the answers aside. */
  readonly asks: string
  readonly seen: (text: string) => Sighting<W>
}

/**
 * Reads all the cells one way: the way that some of them show, when none shows the other. When cells show both, or some
 * could be either and none decides, it asks. `undefined` when no cell says anything.
 */
export function choose<W extends string>(choice: Choice<W>, cells: Iterable<Cell>): W | Question | undefined {
  const found = new Map<Sighting<W>, Cell>()
  for (const cell of cells) {
    const sighting = choice.seen(cell.text)
    if (sighting !== undefined && !found.has(sighting)) found.set(sighting, cell)
  }
  const [one, other] = choice.ways
  if (found.has(one) !== found.has(other)) return found.has(one) ? one : other
  if (found.size === 0) return undefined
  const examples = [...found.values()].slice(0, 2).map(shown).join(' and ')
  return { about: choice.about, asks: `${choice.asks}: ${examples}`, choices: choice.ways }
}
