import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describeReading, openQuestions } from '#lib/rates/sheets/describe-reading.ts'
import type { SheetPlan } from '#lib/rates/sheets/import-sheet.ts'
import { type Profile, profileOf } from '#lib/rates/sheets/profile.ts'
import { isQuestions, type Question } from '#lib/rates/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'
import { type Terminal, UsageError } from '../../machine/terminal.ts'

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
  const saved = path === undefined ? undefined : await readProfile(path)
  const bytes = await readFile(run.path)
  const answers: string[] = []
  const read = (given: readonly string[]) =>
    readSheet(bytes, withAnswers(saved ?? {}, [...run.answers, ...given]))
  const answered = await planAsking(terminal, answers, { read, plan })
  if (!answered || path === undefined || (saved && answers.length === 0)) return answered
  await writeProfile(path, saved ? withAnswers(saved, answers) : answered.reading.profile)
  terminal.say(`The profile is stored in ${path}`)
  return answered
}

interface Steps {
  readonly read: (answers: readonly string[]) => Promise<SheetReading>
  readonly plan: Plan
}

/** Asks one question after the other; the answers are added to `answers`. */
async function planAsking(
  terminal: Terminal,
  answers: string[],
  { read, plan }: Steps,
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

const PROFILES = 'profiles'

/** `profiles/<name>.json` in the current folder. Throws CommandError for a malformed name. */
function profilePath(name: string): string {
  if (!isProfileName(name))
    throw new UsageError(`"${name}" is not a name of a profile: use lower-case letters, digits and -`)
  return join(PROFILES, `${name}.json`)
}

/** Returns `undefined` when the file is missing. Throws FileRefused when the profile is not valid. */
async function readProfile(path: string): Promise<Profile | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfMissing)
  return text === undefined ? undefined : profileOf(text, path)
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function writeProfile(path: string, profile: Profile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, profileText(profile))
}

/**
 * Adds answers such as `decimal=comma`, `columns.prefix=Dial Code` or `statuses.x=ended` to a profile. Throws
 * FileRefused for an unknown key or a value that the key does not take.
 */
function withAnswers(profile: Profile, answers: readonly string[]): Profile {
  const answered: Record<string, unknown> = { ...profile }
  for (const answer of answers) {
    const [, key = '', within, value = ''] = WORD_ANSWER.exec(answer) ?? ANSWER.exec(answer) ?? []
    answered[key] = within === undefined ? typed(key, value) : { ...Object(answered[key]), [within]: value }
  }
  return answers.length === 0 ? profile : profileOf(JSON.stringify(answered), 'The answers')
}

const ANSWER = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s

/** The word of a status, a note or a unit may be a sign, such as `=`. */
const WORD_ANSWER = /^(statuses|notes|units|origin_names)\.(.+)=(.*)$/s

/** The tariff is the only number in a profile. */
const typed = (key: string, value: string): string | number => (key === 'tariff' ? Number(value) : value)

/** Lower-case letters, digits and hyphens: the name of a profile is also that of its file. */
export const isProfileName = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

export const profileText = (profile: Profile): string => `${JSON.stringify(profile, undefined, 2)}\n`
