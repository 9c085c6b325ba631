import type { Command } from '@commander-js/extra-typings'
import { namesIn } from '#lib/base/collections.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import {
  answerProblem,
  type FirstDatasetOptions,
  refuseFilled,
  writeFirstDataset,
} from '../../datasets/first-dataset.ts'
import { askLine, askSecret, printLine, secretFromInput, UsageError } from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The dataset holds settings that open the API, an admin, a customer, a device and a tariff. Missing options are asked at the \
terminal. The secret key is random, and only settings.csv holds it. Only you can read the files. README.md describes every \
column.',
    )
    .argument('<folder>', 'the new folder; npm start -- --data <folder> serves it', pathArgument)
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
      const names = await writeFirstDataset(folder, await answersOf(given))
      printLine(`Wrote ${names.join(', ')} into ${folder}\nRun: npm start -- --data ${folder}`)
    })

type Answers = Partial<FirstDatasetOptions>

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
  password: () => askSecret('Password of the account admin: '),
}

/** Checks each answer when given. Throws UsageError for a wrong option, or a missing one off a terminal. */
async function answersOf(given: Answers): Promise<FirstDatasetOptions> {
  for (const [name, answer] of Object.entries(given)) {
    const problem = answerProblem(name as keyof FirstDatasetOptions, answer)
    if (problem !== undefined) throw new UsageError(problem)
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
    throw new UsageError(`Not a terminal: pass --${name === 'password' ? 'password-stdin' : name}`)
  for (;;) {
    const answer = await QUESTIONS[name]()
    const problem = answerProblem(name, answer)
    if (problem === undefined) return answer
    printLine(problem)
  }
}
