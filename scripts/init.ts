import type { Command } from '@commander-js/extra-typings'
import { writeFirstDataset } from '#lib/local/datasets/init-tool.ts'
import { askLine, askSecret, CommandError, secretFromInput } from '#lib/local/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The dataset holds settings that open the API, an admin, a customer, a device and a tariff. What is not given is asked at the \
terminal. The secret key is generated, into settings.csv alone; only you can read the files, and README.md among them \
explains every column.',
    )
    .argument('<folder>', 'the new folder; then: npm start -- --data <folder>')
    .option('--company <NAME>', 'the name of your company')
    .option('--currency <NAME>', 'the default currency, such as EUR')
    .option('--timezone <ZONE>', 'the zone of its clocks, such as Europe/Vilnius')
    .option('--password-stdin', 'reads the password of the account admin from standard input')
    .action(async (folder, { company, currency, timezone, passwordStdin }) => {
      const names = await writeFirstDataset(folder, {
        company: await answered(company, 'company', 'Company:'),
        currency: await answered(currency, 'currency', 'Currency, such as EUR:'),
        timezone: await answered(timezone, 'timezone', 'Time zone, such as Europe/Vilnius:'),
        password: await passwordOf(passwordStdin ?? false),
      })
      process.stdout.write(`${folder} holds ${names.join(', ')}\nNow: npm start -- --data ${folder}\n`)
    })

/** The given answer, or that of the person at the terminal. */
async function answered(given: string | undefined, option: string, question: string): Promise<string> {
  if (given !== undefined) return given
  refuseWithoutTerminal(option)
  return askLine(question)
}

function refuseWithoutTerminal(option: string): void {
  if (!process.stdin.isTTY) throw new CommandError(`Not a terminal: pass --${option}`)
}

async function passwordOf(fromInput: boolean): Promise<string> {
  if (fromInput) return secretFromInput()
  refuseWithoutTerminal('password-stdin')
  return askSecret('Password of the account admin: ')
}
