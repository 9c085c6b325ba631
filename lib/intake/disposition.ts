/** The words in which calls are stored and searched for. */
type Disposition = 'ANSWERED' | 'NO ANSWER' | 'BUSY' | 'FAILED'

/** What Asterisk writes (ast_cdr_disp2str in main/cdr.c), and the same words as others spell them. */
const WORDS: Readonly<Record<string, Disposition>> = {
  ANSWERED: 'ANSWERED',
  ANSWER: 'ANSWERED',
  'NO ANSWER': 'NO ANSWER',
  NOANSWER: 'NO ANSWER',
  NO_ANSWER: 'NO ANSWER',
  CANCEL: 'NO ANSWER',
  BUSY: 'BUSY',
  FAILED: 'FAILED',
  CONGESTION: 'FAILED',
}

/** Causes of Q.850 of a call that rang in vain, and those of one that was engaged. */
const UNANSWERED = new Set([16, 18, 19, 20, 102])
const BUSY = 17

const LONGEST = 40

/** A switch's own word as ours. A word that we do not know stays, in capitals: what is wrong with it is told later. */
export function dispositionOf(word: string): string {
  const known = WORDS[word]
  if (known) return known
  const upper = word.trim().toUpperCase()
  return WORDS[upper] ?? upper.slice(0, LONGEST)
}

export const isKnownDisposition = (disposition: string): boolean => WORDS[disposition] === disposition

/** For switches that give the cause alone. */
export function dispositionByCause(isAnswered: boolean, cause: number): Disposition {
  if (isAnswered) return 'ANSWERED'
  if (cause === BUSY) return 'BUSY'
  return UNANSWERED.has(cause) ? 'NO ANSWER' : 'FAILED'
}

/** The cause where a switch gives the disposition alone. */
export const causeByDisposition = (disposition: string): number => CAUSES[disposition] ?? NO_CAUSE

const CAUSES: Readonly<Record<string, number>> = { ANSWERED: 16, 'NO ANSWER': 19, BUSY, FAILED: 41 }
const NO_CAUSE = 0
