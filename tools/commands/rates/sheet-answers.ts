import { readFile } from 'node:fs/promises'
import { describeReading, openQuestions } from '#lib/rates/sheets/describe-reading.ts'
import type { SheetPlan } from '#lib/rates/sheets/import-sheet.ts'
import { profileOf } from '#lib/rates/sheets/profile.ts'
import { isQuestions, type Question } from '#lib/rates/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'
import { profilePath, readProfile, withAnswers, writeProfile } from '../../command-line/profiles.ts'
import type { Terminal } from '../../machine/terminal.ts'

export interface SheetRun {
  readonly path: string
  readonly dryRun: boolean
  readonly profile: string | undefined
  /** `key=value`, in addition to the profile. */
  readonly answers: readonly string[]
  readonly acceptRejected: boolean
  readonly allowRemovals: boolean
  /** The number of days whose calls are checked. */
  readonly checkUse?: number | undefined
  readonly clock: () => Date
  readonly signal?: AbortSignal
  /** Is called with the number of rates written. */
  readonly onProgress?: (done: number) => void
}

export interface AnsweredSheet {
  readonly reading: SheetReading
  readonly plan: SheetPlan
}

type Plan = (reading: SheetReading) => Promise<SheetPlan | readonly Question[]>

/** Reads and plans the sheet, asks open questions; `undefined` without an answer. Saves a named profile. */
export async function planAnswered(
  terminal: Terminal,
  run: SheetRun,
  plan: Plan,
): Promise<AnsweredSheet | undefined> {
  const path = run.profile === undefined ? undefined : profilePath(run.profile)
  const saved = path === undefined ? undefined : await readProfile(path, profileOf)
  const bytes = await readFile(run.path)
  const answers: string[] = []
  const read = (given: readonly string[]) =>
    readSheet(bytes, withAnswers(saved ?? {}, [...run.answers, ...given], profileOf))
  const answered = await planAsking(terminal, answers, read, plan)
  if (!answered || path === undefined || (saved && answers.length === 0)) return answered
  await writeProfile(path, saved ? withAnswers(saved, answers, profileOf) : answered.reading.profile)
  terminal.say(`The profile is stored in ${path}`)
  return answered
}

/** Asks one question after the other; the answers are added to `answers`. */
async function planAsking(
  terminal: Terminal,
  answers: string[],
  read: (answers: readonly string[]) => Promise<SheetReading>,
  plan: Plan,
): Promise<AnsweredSheet | undefined> {
  for (;;) {
    const reading = await read(answers)
    const questions = openQuestions(reading)
    const planned = questions.length > 0 ? questions : await plan(reading)
    if (!isQuestions(planned)) return { reading, plan: planned }
    if (questions.length === 0) showReading(terminal, reading)
    const answer = await answerTo(terminal, planned)
    if (answer === undefined) return undefined
    answers.push(answer)
  }
}

/** Off a terminal, questions about a plan come after what the sheet has been read as. */
function showReading({ ask, say }: Terminal, reading: SheetReading): void {
  if (!ask) for (const line of describeReading(reading)) say(line)
}

/** Returns `key=value`. Without a terminal, prints how to answer each question; returns `undefined`. */
async function answerTo({ ask, say }: Terminal, open: readonly Question[]): Promise<string | undefined> {
  const [first] = open
  if (ask && first && first.choices.length > 0 && first.words === undefined)
    return `${first.about}=${await ask(first.asks, first.choices)}`
  for (const question of open) {
    say(question.asks)
    say(`  answer with ${flagsFor(question).join(' or ')}`)
  }
  return undefined
}

function flagsFor({ about, choices, words = [] }: Question): string[] {
  if (about === 'mode') return choices.map((choice) => `--${choice}`)
  if (about === 'decimal') return choices.map((choice) => `--decimal-${choice}`)
  if (about === 'columns') return ['--set columns.prefix="<heading>" --set columns.tariff_rate="<heading>"']
  if (about === 'sheet') return choices.map((choice) => `--sheet ${JSON.stringify(choice)}`)
  if (words.length > 0) return choices.map((choice) => `--set ${about}."<word>"=${choice}`)
  return choices.map(
    (choice) => `--set ${about}=${/^[\w-]+$/.test(choice) ? choice : JSON.stringify(choice)}`,
  )
}
