import { runCommand, type Values } from '#lib/local/commands/command.ts'
import { writeFirstDataset } from '#lib/local/datasets/init-tool.ts'
import { Failure } from '#lib/local/failure.ts'
import { askLine } from '#lib/local/terminal/line.ts'
import { askSecret, secretFromInput } from '#lib/local/terminal/secret.ts'

const HELP = `Writes a first dataset of your own: settings that open the API, an admin, a customer, a device and a tariff.

  npm run init -- <folder> [--company NAME] [--currency NAME] [--timezone ZONE] [--password-stdin]

  --company NAME     how your company is called
  --currency NAME    the default currency, such as EUR
  --timezone ZONE    where its clocks are, such as Europe/Vilnius
  --password-stdin   the password of the account admin comes on standard input

What is not given is asked at the terminal. The secret key is generated, into settings.csv alone; only you can read the files,
and README.md among them explains every column. Then: npm start -- --data <folder>
Exit code: 0 done, 1 refused, 2 not understood.
`

const OPTIONS = {
  company: { type: 'string' },
  currency: { type: 'string' },
  timezone: { type: 'string' },
  'password-stdin': { type: 'boolean', default: false },
} as const

/** What was given, or else is asked. */
async function answered(given: string | undefined, option: string, question: string): Promise<string> {
  if (given !== undefined) return given
  refuseWithoutTerminal(option)
  return askLine(question)
}

function refuseWithoutTerminal(option: string): void {
  if (!process.stdin.isTTY) throw new Failure(`Nobody is there to be asked: give --${option}`)
}

async function passwordOf(fromInput: boolean): Promise<string> {
  if (fromInput) return secretFromInput()
  refuseWithoutTerminal('password-stdin')
  return askSecret('Password of the account admin: ')
}

async function init(values: Values<typeof OPTIONS>, folder: string): Promise<void> {
  const wanted = {
    company: await answered(values.company, 'company', 'Company:'),
    currency: await answered(values.currency, 'currency', 'Currency, such as EUR:'),
    timezone: await answered(values.timezone, 'timezone', 'Time zone, such as Europe/Vilnius:'),
    password: await passwordOf(values['password-stdin']),
  }
  const names = await writeFirstDataset(folder, wanted)
  process.stdout.write(`${folder} holds ${names.join(', ')}\nNow: npm start -- --data ${folder}\n`)
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [1, 1],
  run: (values, [folder = '']) => init(values, folder),
})
