import type { Command } from '@commander-js/extra-typings'
import { writeFirstDataset } from '#tools/datasets/first-dataset.ts'
import { askLine, askSecret, printLine, secretFromInput, UsageError } from '#tools/machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The dataset holds settings that open the API, an admin, a customer, a device and a tariff. Missing options are asked at the \
terminal. The secret key is random, and only settings.csv holds it. Only you can read the files. README.md describes every \
column.',
    )
    .argument('<folder>', 'the new folder; npm start -- --data <folder> serves it')
    .option('--company <NAME>', 'the name of your company')
    .option('--currency <NAME>', 'the default currency, such as EUR')
    .option('--timezone <ZONE>', 'the time zone, such as Europe/Vilnius')
    .option('--password-stdin', 'read the password of the account admin from standard input')
    .action(async (folder, { company, currency, timezone, passwordStdin }) => {
      const names = await writeFirstDataset(folder, {
        company: await answered(company, 'company', 'Company:'),
        currency: await answered(currency, 'currency', 'Currency, such as EUR:'),
        timezone: await answered(timezone, 'timezone', 'Time zone, such as Europe/Vilnius:'),
        password: await passwordOf(passwordStdin ?? false),
      })
      printLine(`Wrote ${names.join(', ')} into ${folder}\nRun: npm start -- --data ${folder}`)
    })

/** Returns the value of an option, or asks for it at the terminal. */
async function answered(given: string | undefined, option: string, question: string): Promise<string> {
  if (given !== undefined) return given
  refuseWithoutTerminal(option)
  return askLine(question)
}

function refuseWithoutTerminal(option: string): void {
  if (!process.stdin.isTTY) throw new UsageError(`Not a terminal: pass --${option}`)
}

async function passwordOf(fromInput: boolean): Promise<string> {
  if (fromInput) return secretFromInput()
  refuseWithoutTerminal('password-stdin')
  return askSecret('Password of the account admin: ')
}
