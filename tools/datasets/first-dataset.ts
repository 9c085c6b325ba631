import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashPassword } from '#lib/accounts/password.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { NUMBER_FORMATS } from '#lib/rates/numbers/rated-number.ts'
import { settingError } from '#lib/settings/settings.ts'
import { hideFromGit } from '#tools/machine/data-folder.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { MIN_PASSWORD_LENGTH } from '../commands/account/account-tool.ts'

/** The modes of files and folders that only their owner can read. */
const PRIVATE_MODES = { folder: 0o700, file: 0o600 }

/** Writes a small dataset that can be served at once, with a README about its columns. Returns the names of the files. */
export async function writeFirstDataset(folder: string, options: FirstDatasetOptions): Promise<string[]> {
  for (const [name, answer] of Object.entries(options))
    refuseIf(answerProblem(name as keyof FirstDatasetOptions, answer))
  await refuseFilled(folder)
  await mkdir(folder, { recursive: true, mode: PRIVATE_MODES.folder })
  await hideFromGit(folder)
  // A small dataset that is enough to call every kind of method.
  const files = [
    settings(options),
    await users(options),
    currencies(options),
    tariffs(options),
    RATES,
    providers(options),
    devices(),
  ]
  const texts = [
    ...files.map((one) => [`${one.file}.csv`, csvOf(one)] as const),
    ['README.md', readmeOf(options, files)] as const,
  ]
  for (const [name, text] of texts)
    await writeFile(join(folder, name), text, { mode: PRIVATE_MODES.file, flag: 'wx' })
  return texts.map(([name]) => name)
}

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
  company: (answer) => (answer.trim() === '' ? 'The company has no name: pass --company NAME' : undefined),
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
    answer.length < MIN_PASSWORD_LENGTH
      ? `The password is too short: use at least ${MIN_PASSWORD_LENGTH} characters`
      : undefined,
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new CommandError(problem)
}

function csvOf({ rows, columns }: FirstFile): string {
  const cellsOf = (row: number) =>
    columns.map(([, cells]) => (typeof cells === 'string' ? cells : (cells[row] ?? '')))
  const lines = [columns.map(([name]) => name), ...Array.from({ length: rows }, (_, row) => cellsOf(row))]
  return lines.map((cells) => csvLine(cells)).join('')
}

const readmeOf = ({ company }: FirstDatasetOptions, files: readonly FirstFile[]): string =>
  `# ${company}

Run \`npm start -- --data <this folder>\` to serve this dataset. To change it, edit a file and run \`npx tollgate import <file>\`; a column that
a file does not have keeps the stored values. docs/datasets.md lists all files and columns.
${files.map(sectionOf).join('')}`

const sectionOf = ({ file, about, columns }: FirstFile): string =>
  `
## ${file}.csv

${about}

| column | meaning |
| --- | --- |
${columns.map(([name, , meaning]) => `| ${name} | ${meaning} |\n`).join('')}`

// The files and their columns

/** The operator's answers for a first dataset. */
export interface FirstDatasetOptions {
  readonly company: string
  /** The default currency, such as EUR. */
  readonly currency: string
  /** An IANA name, such as Europe/Vilnius. */
  readonly timezone: string
  /** The country code of the operator's numbers; blank if none is said. */
  readonly countryCode: string
  /** How the carrier is called: a value of `number_format`, or blank. */
  readonly carrier: string
  /** The password of the account admin. */
  readonly password: string
}

/** A column of a file: one cell for all rows, or one for each row, and its meaning. */
type ExplainedColumn = readonly [name: string, cells: string | readonly string[], meaning: string]

/** A file of the dataset, its subject, the number of its rows, and its columns. */
interface FirstFile {
  readonly file: string
  readonly about: string
  readonly rows: number
  readonly columns: readonly ExplainedColumn[]
}

/** In hexadecimal digits. Base64url may begin with `-`, which CSV has as `'-`: an operator would copy a wrong secret. */
const secretOf = (bytes: number): string => randomBytes(bytes).toString('hex')

const settings = ({ currency, timezone, countryCode }: FirstDatasetOptions): FirstFile => ({
  file: 'settings',
  about: 'The settings of the installation. docs/wire.md 6.1 lists all of them.',
  rows: 6,
  columns: [
    [
      'name',
      ['Allow_API', 'API_Secret_Key', 'Default_Currency', 'Timezone', 'Country_Code', 'Rated_Number'],
      'the setting',
    ],
    [
      'value',
      ['on', secretOf(24), currency, timezone, countryCode, 'carrier'],
      'its value; API_Secret_Key signs every request, and only this file and the table hold it',
    ],
  ],
})

async function users({ company, password, currency }: FirstDatasetOptions): Promise<FirstFile> {
  return {
    file: 'users',
    about: `The accounts: admin, and the first customer of ${company}.`,
    rows: 2,
    columns: [
      ['id', ['0', '1'], 'a number of your own; 0 is admin'],
      ['username', ['admin', 'customer'], 'the name in `u` of a request, and at the login'],
      [
        'password_hash',
        [await hashPassword(password), await hashPassword(secretOf(12))],
        "the hash of the password; a column password may hold clear text instead. The customer's is random: set one with `npx tollgate account set-password customer`",
      ],
      ['usertype', ['admin', 'user'], 'admin, reseller, accountant, partner, or user: a customer'],
      ['owner_id', '0', 'the owner of the account: admin, a reseller or a partner'],
      ['first_name', ['', 'First'], 'the first name in lists'],
      ['last_name', [company, 'Customer'], 'the last name in lists'],
      ['tariff_id', ['', '1'], 'the tariff that its calls are rated by'],
      ['currency', currency, 'its currency; blank: the default currency'],
    ],
  }
}

const currencies = ({ currency }: FirstDatasetOptions): FirstFile => ({
  file: 'currencies',
  about: 'The currencies of tariffs and accounts.',
  rows: 1,
  columns: [
    ['name', currency, 'the name in tariffs and documents'],
    ['exchange_rate', '1', 'units of it for one unit of the default currency'],
  ],
})

const tariffs = ({ currency }: FirstDatasetOptions): FirstFile => ({
  file: 'tariffs',
  about: "The tariffs. Their rates are in rates.csv, or in a carrier's rate sheet: `npx tollgate rates`.",
  rows: 1,
  columns: [
    ['id', '1', 'a number of your own'],
    ['name', 'Retail', 'the name in lists'],
    ['purpose', 'retail', 'such as retail or user_wholesale'],
    ['currency', currency, 'the currency of its rates; blank: the default currency'],
    ['owner_id', '0', 'the owner: admin or a reseller'],
  ],
})

const RATES: FirstFile = {
  file: 'rates',
  about: 'The rates of the tariffs, by prefix.',
  rows: 3,
  columns: [
    ['tariff_id', '1', 'the tariff'],
    [
      'prefix',
      ['1', '44', '447'],
      'the first digits, with the country code; the longest prefix that matches is used',
    ],
    ['direction', ['USA', 'United Kingdom', 'United Kingdom'], 'the country'],
    ['destination', ['USA', 'United Kingdom', 'United Kingdom mobile'], 'the name in lists'],
    ['tariff_rate', ['0.02', '0.02', '0.05'], 'the price of a minute'],
    ['con_fee', '0', 'the price of the connection'],
    ['increment', '1', 'the billing increment in seconds'],
    ['min_time', '0', 'the minimum in seconds'],
  ],
}

const providers = ({ carrier }: FirstDatasetOptions): FirstFile => ({
  file: 'providers',
  about:
    'The carriers. Calls over a carrier that is named here are rated by the number that it was called with.',
  rows: 1,
  columns: [
    ['id', '1', 'a number of your own'],
    ['name', 'carrier', 'its name on the switch: a gateway, trunk or peer'],
    ['names', '', 'further names, with blanks between them'],
    ['addresses', '', 'its IP addresses and host names'],
    ['tech_prefix', '', 'what is dialled to it before each number, such as 1234#'],
    [
      'number_format',
      carrier,
      'how it is called: e164 (country code and number) or local (as at home: set National_Prefix and National_Length)',
    ],
  ],
})

const devices = (): FirstFile => ({
  file: 'devices',
  about: 'The phones.',
  rows: 1,
  columns: [
    ['id', '1', 'a number of your own'],
    ['user_id', '1', 'the account it belongs to'],
    ['device_type', 'SIP', 'SIP, IAX2, H323, ...'],
    ['name', '1001', 'the name that it registers with at the switch'],
    ['secret', secretOf(12), 'its password at the switch'],
    ['extension', '1001', 'the number that is dialled to reach it'],
    ['callerid', '"First Customer" <1001>', 'the name and number that the called party sees'],
    ['description', 'The first phone', 'a note'],
  ],
})
