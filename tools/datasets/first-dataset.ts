import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashPassword, SHORTEST_GIVEN_PASSWORD } from '#lib/accounts/password.ts'
import { isVisibleName, showInvisible } from '#lib/base/text.ts'
import { cellsInSpan, spansOf } from '#lib/csv/reader.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { NUMBER_FORMATS } from '#lib/rates/numbers/rated-number.ts'
import { settingError } from '#lib/settings/settings.ts'
import { hideFromGit } from '#tools/machine/data-folder.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'

/** The modes of files and folders that only their owner can read. */
const PRIVATE_MODES = { folder: 0o700, file: 0o600 }

/** The files of data/first: a small dataset that is enough to call every kind of method. */
const FILES: readonly string[] = [
  ...['settings', 'users', 'currencies', 'tariffs', 'rates', 'providers', 'devices'].map(
    (name) => `${name}.csv`,
  ),
  'README.md',
]

/** Writes a small dataset to serve at once, with a README about its columns. Returns the file names. */
export async function writeFirstDataset(
  folder: string,
  options: FirstDatasetOptions,
): Promise<readonly string[]> {
  for (const [name, answer] of Object.entries(options))
    refuseIf(answerProblem(name as keyof FirstDatasetOptions, answer))
  await refuseFilled(folder)
  await mkdir(folder, { recursive: true, mode: PRIVATE_MODES.folder })
  await hideFromGit(folder)
  const fillers = await fillersOf(options)
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => fillers[name] ?? '')
  for (const name of FILES) {
    const text = await readFile(`${root}data/first/${name}`, 'utf8')
    const filled = name.endsWith('.csv') ? filledCsv(text, fill) : fill(text)
    await writeFile(join(folder, name), filled, { mode: PRIVATE_MODES.file, flag: 'wx' })
  }
  return FILES
}

/** An answer may have a comma or a quote, so the cells are filled one by one. */
const filledCsv = (text: string, fill: (cell: string) => string): string =>
  Array.from(spansOf(text), (span) => csvLine(cellsInSpan(text, span).map(fill))).join('')

/** Throws CommandError for a folder with files in it. */
export async function refuseFilled(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  refuseIf(names.length > 0 ? `${folder} is not empty: name another folder` : undefined)
}

/** The reason why a dataset cannot be made from an answer; `undefined` for a right one. */
export const answerProblem = (name: keyof FirstDatasetOptions, answer: string): string | undefined =>
  PROBLEMS[name](answer)

const PROBLEMS: Readonly<Record<keyof FirstDatasetOptions, (answer: string) => string | undefined>> = {
  company: (answer) => {
    if (answer.trim() === '') return 'The company has no name: pass --company NAME'
    return isVisibleName(answer)
      ? undefined
      : `The company "${showInvisible(answer)}" has blanks around it or invisible characters: pass --company NAME`
  },
  currency: (answer) =>
    Intl.supportedValuesOf('currency').includes(answer)
      ? undefined
      : `The currency ${JSON.stringify(answer)} is not a code of ISO 4217: use one such as EUR`,
  timezone: (answer) => {
    const problem = settingError('Timezone', answer)
    return problem && `${problem}, and not ${JSON.stringify(answer)}`
  },
  countryCode: (answer) =>
    /^\d{0,3}$/.test(answer)
      ? undefined
      : `The country code ${JSON.stringify(answer)} is not of 1 to 3 digits: use one such as 44`,
  carrier: (answer) =>
    ['', ...NUMBER_FORMATS].includes(answer)
      ? undefined
      : `The carrier is called as ${JSON.stringify(answer)}: use ${NUMBER_FORMATS.join(' or ')}`,
  password: (answer) =>
    answer.length < SHORTEST_GIVEN_PASSWORD
      ? `The password is too short: use at least ${SHORTEST_GIVEN_PASSWORD} characters`
      : undefined,
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new CommandError(problem)
}

export interface FirstDatasetOptions {
  readonly company: string
  readonly currency: string
  /** An IANA name, such as Europe/Vilnius. */
  readonly timezone: string
  /** The country code of the operator's numbers; blank if none is said. */
  readonly countryCode: string
  /** How the carrier is called: a value of `number_format`, or blank. */
  readonly carrier: string
  readonly password: string
}

/** The placeholders in braces in the files of data/first. */
const fillersOf = async (options: FirstDatasetOptions): Promise<Readonly<Record<string, string>>> => ({
  ...options,
  secretKey: secretOf(24),
  deviceSecret: secretOf(12),
  passwordHash: await hashPassword(options.password),
  randomHash: await hashPassword(secretOf(12)),
})

/** In hexadecimal: base64url may begin with `-`, in CSV `'-`, and a copied secret would be wrong. */
const secretOf = (bytes: number): string => randomBytes(bytes).toString('hex')
