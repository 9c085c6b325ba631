import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '#lib/local/failure.ts'
import { isProfileName, type Profile, profileOf, profileText } from '#lib/sheets/profile.ts'

const FOLDER = 'profiles'

/** `profiles/<name>.json` in the folder that the command is run in. Throws Failure for a name that none can have. */
export function profilePath(name: string): string {
  if (!isProfileName(name))
    throw new Failure(`A profile is named by lower-case letters, digits and -: not ${name}`)
  return join(FOLDER, `${name}.json`)
}

/** `undefined` when there is none yet. Throws SheetError when it does not fit. */
export async function readProfile(path: string): Promise<Profile | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfAbsent)
  return text === undefined ? undefined : profileOf(text, path)
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

export async function writeProfile(path: string, profile: Profile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, profileText(profile))
}

/**
 * Answers of the form `decimal=comma`, `columns.prefix=Dial Code` or `statuses.x=ended` on top of a profile. Throws
 * SheetError for a key or a value that a profile does not have.
 */
export function withAnswers(profile: Profile, answers: readonly string[]): Profile {
  const answered: Record<string, unknown> = { ...profile }
  for (const answer of answers) {
    const [, key = '', within, value = ''] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s.exec(answer) ?? []
    answered[key] = within === undefined ? typed(key, value) : { ...Object(answered[key]), [within]: value }
  }
  return answers.length === 0 ? profile : profileOf(JSON.stringify(answered), 'The answers')
}

/** The one number of a profile; all else is text. */
const typed = (key: string, value: string): string | number => (key === 'tariff' ? Number(value) : value)
