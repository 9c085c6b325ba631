import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { hashPassword, lackOfPassword } from '#lib/accounts/password.ts'
import { namesIn } from '#lib/base/collections.ts'
import { isVisibleName, showInvisible } from '#lib/base/text.ts'
import { cellsInSpan, spansOf } from '#lib/csv/reader.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { NUMBER_FORMATS } from '#lib/rates/numbers/rated-number.ts'
import { settingError } from '#lib/settings/settings.ts'
import { findNumberingPlan, nationalLengthOf } from '#tools/datasets/numbering-plans.ts'
import { hideFromGit } from '#tools/machine/data-folder.ts'
import { root, START_COMMAND } from '#tools/machine/program.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import {
  askLine,
  askNewSecret,
  CommandError,
  printLine,
  secretFromInput,
  usageError,
} from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The dataset holds settings that open the API, an admin, a customer, a device and a tariff. Missing options are asked at the \
terminal. The secret key is random, and only settings.csv holds it. Only you can read the files. README.md describes every \
column.',
    )
    .argument('<folder>', `the new folder; ${START_COMMAND} --data <folder> serves it`, pathArgument)
    .option('--company <NAME>', 'the name of your company')
    .option('--currency <NAME>', 'the default currency, such as EUR')
    .option('--timezone <ZONE>', 'the time zone, such as Europe/Vilnius')
    .option('--country-code <DIGITS>', 'the country code of your numbers, such as 44 (default: none)')
    .option(
      '--carrier <FORMAT>',
      'how your carrier is called: e164, with country code and number (default), or local, as at home',
    )
    .option('--password-stdin', 'read the password of the account admin from standard input')
    .action(async (folder, { passwordStdin = false, ...options }) => {
      await refuseFilled(folder)
      const given = { ...options, ...(passwordStdin && { password: await secretFromInput() }) }
      const answers = await answersOf(given)
      const names = await writeFirstDataset(folder, answers)
      for (const line of await describeNumbers(answers)) printLine(line)
      printLine(`Wrote ${names.join(', ')} into ${folder}\nRun: ${START_COMMAND} --data ${folder}`)
    })

/** The questions of the answers that no option gives. */
const QUESTIONS: Readonly<Record<keyof FirstDatasetOptions, () => Promise<string>>> = {
  company: () => askLine('Company:'),
  currency: () => askLine('Currency, such as EUR:'),
  timezone: () => askLine('Time zone, such as Europe/Vilnius:'),
  countryCode: () => askLine('Country code of your numbers, such as 44; blank for none:'),
  carrier: () =>
    askLine(
      'How is your carrier called? e164 (country code and number), local (as at home), blank if you do not know:',
    ),
  password: () => askNewSecret('password of the account admin'),
}

/** Checks each answer when given. Throws CommandError for a wrong option, or a missing one off a terminal. */
async function answersOf(given: Partial<FirstDatasetOptions>): Promise<FirstDatasetOptions> {
  for (const [name, answer] of Object.entries(given)) {
    const problem = answerProblem(name as keyof FirstDatasetOptions, answer)
    if (problem !== undefined) throw usageError(problem)
  }
  const answers: { -readonly [K in keyof FirstDatasetOptions]?: string } = { ...given }
  for (const name of namesIn(QUESTIONS)) answers[name] ??= await answerTo(name)
  return answers as FirstDatasetOptions
}

/** The answers without a terminal. */
const USUAL_ANSWERS: Partial<FirstDatasetOptions> = { countryCode: '', carrier: 'e164' }

/** Asks at the terminal until the answer is right. */
async function answerTo(name: keyof FirstDatasetOptions): Promise<string> {
  const usual = USUAL_ANSWERS[name]
  if (!process.stdin.isTTY && usual !== undefined) return usual
  if (!process.stdin.isTTY)
    throw usageError(`Not a terminal: pass --${name === 'password' ? 'password-stdin' : name}`)
  for (;;) {
    const answer = await QUESTIONS[name]()
    const problem = answerProblem(name, answer)
    if (problem === undefined) return answer
    printLine(problem)
  }
}

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
  password: (answer) => {
    const lack = lackOfPassword(
      { Default_User_Password_length: undefined, Use_strong_passwords: false },
      answer,
    )
    return lack && `The password is unfit: use ${lack}`
  },
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

/** Tells how national numbers are read, which only their country code has decided. */
async function describeNumbers({ countryCode }: FirstDatasetOptions): Promise<string[]> {
  const plan = await findNumberingPlan(countryCode)
  if (!plan) return []
  const { country, nationalPrefix, internationalPrefix, emergencyNumbers } = plan
  const length = nationalLengthOf(plan, countryCode)
  const name = new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country
  return [
    `Numbers of ${countryCode} (${name}): ${nationalPrefix === '' ? 'no national prefix' : `national prefix ${nationalPrefix}`}, ${
      length === '' ? 'no National_Length' : `${length} digits`
    }, international prefix ${internationalPrefix}, emergency numbers ${emergencyNumbers}. Check them in settings.csv`,
  ]
}

async function numbersOf(countryCode: string): Promise<Readonly<Record<string, string>>> {
  const plan = await findNumberingPlan(countryCode)
  return {
    nationalPrefix: plan?.nationalPrefix ?? '',
    internationalPrefix: plan?.internationalPrefix ?? '00',
    nationalLength: plan ? nationalLengthOf(plan, countryCode) : '',
    emergencyNumbers: plan?.emergencyNumbers ?? '112,911',
  }
}

/** The placeholders in braces in the files of data/first. */
const fillersOf = async (options: FirstDatasetOptions): Promise<Readonly<Record<string, string>>> => ({
  ...options,
  ...(await numbersOf(options.countryCode)),
  start: START_COMMAND,
  secretKey: secretOf(24),
  deviceSecret: secretOf(12),
  passwordHash: await hashPassword(options.password),
  randomHash: await hashPassword(secretOf(12)),
})

/** In hexadecimal: base64url may begin with `-`, in CSV `'-`, and a copied secret would be wrong. */
const secretOf = (bytes: number): string => randomBytes(bytes).toString('hex')
