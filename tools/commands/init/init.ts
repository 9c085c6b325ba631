import type { Command } from '@commander-js/extra-typings'
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
  password: () => askSecret('Password of the account admin: '),
}

/** Checks each answer when it is given. Throws UsageError for a wrong option, or a missing one without a terminal. */
async function answersOf(given: Answers): Promise<FirstDatasetOptions> {
  for (const [name, answer] of Object.entries(given)) {
    const problem = answerProblem(name as keyof FirstDatasetOptions, answer)
    if (problem !== undefined) throw new UsageError(problem)
  }
  return {
    company: given.company ?? (await answerTo('company')),
    currency: given.currency ?? (await answerTo('currency')),
    timezone: given.timezone ?? (await answerTo('timezone')),
    password: given.password ?? (await answerTo('password')),
  }
}

/** Asks at the terminal until the answer is right. */
async function answerTo(name: keyof FirstDatasetOptions): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError(`Not a terminal: pass --${name === 'password' ? 'password-stdin' : name}`)
  for (;;) {
    const answer = await QUESTIONS[name]()
    const problem = answerProblem(name, answer)
    if (problem === undefined) return answer
    printLine(problem)
  }
}
