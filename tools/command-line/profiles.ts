import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { usageError } from '../machine/terminal.ts'

/** Reads a profile in JSON. Throws refused_file with the key that is wrong. */
type ReadProfile<P> = (text: string, where: string) => P

const PROFILES = 'profiles'

/** `profiles/<name>.json` in the current folder. Throws CommandError for a malformed name. */
export function profilePath(name: string): string {
  if (!isProfileName(name))
    throw usageError(`"${name}" is not a name of a profile: use lower-case letters, digits and -`)
  return join(PROFILES, `${name}.json`)
}

/** Returns `undefined` when the file is missing. Throws refused_file when the profile is not valid. */
export async function readProfile<P>(path: string, read: ReadProfile<P>): Promise<P | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfMissing)
  return text === undefined ? undefined : read(text, path)
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

export async function writeProfile(path: string, profile: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, profileText(profile))
}

/**
 * Adds answers such as `decimal=comma`, `columns.prefix=Dial Code` or `statuses.x=ended` to a profile. Throws
 * refused_file for an unknown key or a value that the key does not take.
 */
export function withAnswers<P extends object>(
  profile: P,
  answers: readonly string[],
  read: ReadProfile<P>,
): P {
  const answered = { ...profile } as Record<string, unknown>
  for (const answer of answers) {
    const [, key = '', within, value = ''] = WORD_ANSWER.exec(answer) ?? ANSWER.exec(answer) ?? []
    answered[key] = within === undefined ? typed(key, value) : { ...Object(answered[key]), [within]: value }
  }
  return answers.length === 0 ? profile : read(JSON.stringify(answered), 'The answers')
}

const ANSWER = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s

/** The word of a status, a note or a unit may be a sign, such as `=`. */
const WORD_ANSWER = /^(statuses|notes|units|origin_names)\.(.+)=(.*)$/s

/** The tariff is the only number in a profile. */
const typed = (key: string, value: string): string | number => (key === 'tariff' ? Number(value) : value)

/** Lower-case letters, digits and hyphens: the name of a profile is also that of its file. */
export const isProfileName = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

export const profileText = (profile: object): string => `${JSON.stringify(profile, undefined, 2)}\n`
