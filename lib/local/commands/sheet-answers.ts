import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError } from '#lib/local/terminal.ts'
import { isProfileName, MODES, type Profile, profileOf, profileText } from '#lib/sheets/profile.ts'
import type { Question } from '#lib/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/sheets/read-sheet.ts'
import type { Store } from '#lib/store/store.ts'

/** The options of `npm run rates`. */
export interface SheetWish {
  readonly path: string
  readonly dryRun: boolean
  readonly profile: string | undefined
  /** `key=value`, on top of the profile. */
  readonly answers: readonly string[]
  readonly acceptRejected: boolean
  readonly allowRemovals: boolean
  /** The number of days whose calls are checked. */
  readonly checkUse?: number | undefined
}

export interface RatesWorld {
  readonly store: Store
  readonly clock: () => Date
  /** For the log. */
  readonly who: string
  readonly say: (line: string) => void
  /** Asks at the terminal; `undefined` when there is none. */
  readonly ask: ((question: string, choices: readonly string[]) => Promise<string>) | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number) => void
}

/** Reads the sheet and asks open questions; `undefined` when an answer is missing. A named profile is saved. */
export async function readAnswered(world: RatesWorld, wish: SheetWish): Promise<SheetReading | undefined> {
  const path = wish.profile === undefined ? undefined : profilePath(wish.profile)
  const kept = path === undefined ? undefined : await readProfile(path)
  const bytes = await readFile(wish.path).catch((error: Error) => {
    throw new CommandError(`${wish.path} cannot be read: ${error.message}`)
  })
  const answers: string[] = []
  const reading = await readAsking(world, answers, (given) =>
    readSheet(bytes, withAnswers(kept ?? {}, [...wish.answers, ...given])),
  )
  if (!reading || path === undefined || (kept && answers.length === 0)) return reading
  await writeProfile(path, kept ? withAnswers(kept, answers) : reading.profile)
  world.say(`How it is read is kept in ${path}`)
  return reading
}

/** Asks one question after the other; the answers are added to `answers`. */
async function readAsking(
  world: RatesWorld,
  answers: string[],
  read: (answers: readonly string[]) => Promise<SheetReading>,
): Promise<SheetReading | undefined> {
  for (;;) {
    const reading = await read(answers)
    const open = openIn(reading)
    if (open.length === 0) return reading
    const answer = await answerTo(world, open)
    if (answer === undefined) return undefined
    answers.push(answer)
  }
}

/** The open questions. The mode is never assumed: it decides whether rates are removed. */
function openIn({ questions, hasStatus, profile }: SheetReading): readonly Question[] {
  if (questions.length > 0 || profile.mode !== undefined) return questions
  const hint = hasStatus ? ' A column says which rates are changes, so merge fits better' : ''
  const asks = `Does the sheet replace the whole tariff, or is it merged into it?${hint}`
  return [{ about: 'mode', asks, choices: MODES }]
}

/** Returns the answer as `key=value`. Without a terminal it prints how to answer each question and returns `undefined`. */
async function answerTo({ ask, say }: RatesWorld, open: readonly Question[]): Promise<string | undefined> {
  const [first] = open
  if (ask && first && isOneWord(first)) return `${first.about}=${await ask(first.asks, first.choices)}`
  for (const question of open) {
    say(question.asks)
    say(`  answer with ${flagsFor(question).join(' or ')}`)
  }
  return undefined
}

const isOneWord = ({ about, choices }: Question): boolean => choices.length > 0 && about !== 'statuses'

function flagsFor({ about, choices }: Question): string[] {
  if (about === 'mode') return choices.map((choice) => `--${choice}`)
  if (about === 'decimal') return choices.map((choice) => `--decimal-${choice}`)
  if (about === 'columns') return ['--set columns.prefix="<heading>" --set columns.tariff_rate="<heading>"']
  if (about === 'statuses') return choices.map((choice) => `--set statuses."<word>"=${choice}`)
  return choices.map((choice) => `--set ${about}=${choice}`)
}

const PROFILES = 'profiles'

/** `profiles/<name>.json` in the folder that the command is run in. Throws CommandError for a name that none can have. */
function profilePath(name: string): string {
  if (!isProfileName(name))
    throw new CommandError(`A profile is named by lower-case letters, digits and -: not ${name}`)
  return join(PROFILES, `${name}.json`)
}

/** Returns `undefined` when the file is missing. Throws SheetError when the profile is not valid. */
async function readProfile(path: string): Promise<Profile | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfAbsent)
  return text === undefined ? undefined : profileOf(text, path)
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function writeProfile(path: string, profile: Profile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, profileText(profile))
}

/**
 * Answers of the form `decimal=comma`, `columns.prefix=Dial Code` or `statuses.x=ended` on top of a profile. Throws
 * SheetError for a key or a value that a profile does not have.
 */
function withAnswers(profile: Profile, answers: readonly string[]): Profile {
  const answered: Record<string, unknown> = { ...profile }
  for (const answer of answers) {
    const [, key = '', within, value = ''] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s.exec(answer) ?? []
    answered[key] = within === undefined ? typed(key, value) : { ...Object(answered[key]), [within]: value }
  }
  return answers.length === 0 ? profile : profileOf(JSON.stringify(answered), 'The answers')
}

/** The tariff is the only number in a profile. */
const typed = (key: string, value: string): string | number => (key === 'tariff' ? Number(value) : value)
