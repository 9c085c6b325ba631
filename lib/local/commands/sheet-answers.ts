import { readFile } from 'node:fs/promises'
import { Failure } from '#lib/local/failure.ts'
import { MODES } from '#lib/sheets/profile.ts'
import type { Question } from '#lib/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/sheets/read-sheet.ts'
import { profilePath, readProfile, withAnswers, writeProfile } from './profile-files.ts'
import type { RatesWorld, SheetWish } from './sheet-wish.ts'

/** Reads the sheet and asks what is open; `undefined` when an answer is missing. A named profile is kept. */
export async function readAnswered(world: RatesWorld, wish: SheetWish): Promise<SheetReading | undefined> {
  const path = wish.profile === undefined ? undefined : profilePath(wish.profile)
  const kept = path === undefined ? undefined : await readProfile(path)
  const bytes = await readFile(wish.path).catch((error: Error) => {
    throw new Failure(`${wish.path} cannot be read: ${error.message}`)
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

/** Whether a sheet is the whole tariff is never assumed. */
function openIn({ questions, hasStatus, profile }: SheetReading): readonly Question[] {
  if (questions.length > 0 || profile.mode !== undefined) return questions
  const hint = hasStatus ? ' A column says which rates are changes, so merge fits better' : ''
  const asks = `Does the sheet replace the whole tariff, or is it merged into it?${hint}`
  return [{ about: 'mode', asks, choices: MODES }]
}

/** The answer as `key=value`, or nothing after telling how each question is answered. */
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
