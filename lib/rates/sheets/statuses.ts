import { type Cell, type Question, quoteCell } from './question.ts'

/** The meaning of a status: the rate of the row is valid, its prefixes end, or calls to them are blocked. */
export const STATUSES = ['kept', 'ended', 'blocked'] as const

export type Status = (typeof STATUSES)[number]

const ENDED = wordSet(
  'closed close removed remove removal deleted delete deletion ended end ceased withdrawn discontinued discontinue terminated cancelled canceled dropped expired',
)

const BLOCKED = wordSet('blocked block blocking barred')

/** Words that may mean either, or nothing for a rate. */
const DOUBTFUL = wordSet(
  'suspended disabled inactive unavailable stopped forbidden prohibited restricted obsolete retired invalid reject rejected',
)

const KEPT = wordSet(
  'new increase increased increasing decrease decreased decreasing unchanged same current change changed update updated added addition add active open existing valid modified no',
)

/** A whole cell that says without such a word that a destination is not sold. */
const NOT_SOLD =
  /^(?:route |destination )?(?:is |are |currently |temporarily )*(?:not|no longer|do not|don't|no|stop|out of) (?:in )?(?:available|served|service|supported|offered|sen[dt]|sending|routed?|used?|sold|accepted|allowed|active|valid)(?: traffic)?[.!]*$/

/** A whole cell that says when a rate holds, or that it is added to another one. */
const CONDITIONAL =
  /^(?:(?:off|on)?[ -]?peak|(?:day|night)(?: ?time)?|evening|weekend|(?:non[ -]?)?business (?:time|hours?)|additive|extra)(?: rate)?$/

/** A remark beside a price about what else a call costs, or until when. */
const ALSO_COSTS =
  /\b(?:surcharge|(?:connect(?:ion)?|set ?up) (?:fee|charge)|per call|min(?:imum|\.)? ?(?:of )?\d+ ?s|valid (?:until|till|to|from)|ends? on|until \d)/

/** Words next to a status that do not change it. */
const FILLERS = wordSet(
  'code codes destination destinations route breakout prefix rate is are has have been be now',
)

/** The meanings of words as a profile gives them. */
export type KnownStatuses = Readonly<Record<string, Status>> | undefined

/** Reads a status such as `Rate Increase`, `CLOSED` or `code removed`; `undefined` if unknown. */
export function statusOf(cell: string, known?: KnownStatuses): Status | undefined {
  const text = cell.trim().toLowerCase()
  if (text === '') return 'kept'
  const words = text.split(/[^a-z]+/)
  return meaningIn(text, known) ?? endIn(words) ?? (words.some((word) => KEPT.has(word)) ? 'kept' : undefined)
}

/** The meaning that a profile gives a text. */
export const meaningIn = (text: string, known: KnownStatuses = {}): Status | undefined =>
  Object.entries(known).find(([word]) => word.trim().toLowerCase() === text)?.[1]

/** The status that words such as `code removed` mean; `undefined` for none, or if they are denied. */
function endIn(words: readonly string[]): Status | undefined {
  if (words.includes('not') || words.includes('longer')) return undefined
  if (words.some((word) => ENDED.has(word))) return 'ended'
  return words.some((word) => BLOCKED.has(word)) ? 'blocked' : undefined
}

/**
 * Reads a remark: `Blocked` or `Code deleted` alone, under a heading where they are expected, is a status.
 * Such words in a sentence or another column return `undefined`. Others mean nothing for a rate.
 */
export function statusOfRemark(cell: string, isExpected: boolean, known: KnownStatuses): Status | undefined {
  const text = cell.trim().toLowerCase()
  const words = text.split(/[^a-z]+/).filter((word) => word !== '')
  const means = meaningIn(text, known)
  if (means !== undefined || CONDITIONAL.test(text) || (isExpected && ALSO_COSTS.test(text))) return means
  if (!words.some(isOfEnd)) return NOT_SOLD.test(text) ? undefined : 'kept'
  const isAlone = !/\d/.test(text) && words.every((word) => isOfEnd(word) || FILLERS.has(word))
  if (isExpected) return isAlone ? endIn(words) : undefined
  return isAlone ? undefined : 'kept'
}

/** Words under which a yes ends or blocks a rate, such as `Forbidden`. */
export const isOfEnd = (word: string): boolean => ENDED.has(word) || BLOCKED.has(word) || DOUBTFUL.has(word)

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Asks once for the meanings of cells whose status is unknown. */
export function statusQuestion(unknown: Iterable<Cell>): Question | undefined {
  const byText = new Map(Array.from(unknown, (cell) => [cell.text, cell]))
  const shown = [...byText.values()].slice(0, 10)
  if (shown.length === 0) return undefined
  return {
    about: 'statuses',
    asks: `Is the rate of a row kept, do its prefixes end, or are they blocked: ${shown.map(quoteCell).join(', ')}`,
    choices: STATUSES,
    words: shown.map(({ text }) => text),
  }
}
