import { randomBytes } from 'node:crypto'
import { hashPassword } from '#lib/domain/accounts/password.ts'

/** What a new installation is made of. */
export interface NewInstallation {
  readonly company: string
  /** A currency's name, such as EUR. */
  readonly currency: string
  /** As in the tz database, such as Europe/Vilnius. */
  readonly timezone: string
  /** Of the account admin. */
  readonly password: string
}

/** A column of a file, the same cell for all its rows or one for each, and what it says. */
type ExplainedColumn = readonly [name: string, cells: string | readonly string[], meaning: string]

/** A file of the dataset: what it is about, how many rows it has, and its columns. */
export interface FirstFile {
  readonly file: string
  readonly about: string
  readonly rows: number
  readonly columns: readonly ExplainedColumn[]
}

const secretOf = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** The least that answers every kind of question: who calls, from which device, at which rate. */
export async function firstDataset(wanted: NewInstallation): Promise<FirstFile[]> {
  return [settings(wanted), await users(wanted), currencies(wanted), tariffs(wanted), RATES, devices()]
}

const settings = ({ currency, timezone }: NewInstallation): FirstFile => ({
  file: 'settings',
  about: 'What holds for the whole installation. docs/wire.md 6.1 lists every setting.',
  rows: 4,
  columns: [
    ['name', ['Allow_API', 'API_Secret_Key', 'Default_Currency', 'Timezone'], 'which setting'],
    [
      'value',
      ['on', secretOf(24), currency, timezone],
      'its value; API_Secret_Key signs every request and is nowhere but here and in the table',
    ],
  ],
})

async function users({ company, password, currency }: NewInstallation): Promise<FirstFile> {
  return {
    file: 'users',
    about: `Accounts: admin, and the first customer of ${company}.`,
    rows: 2,
    columns: [
      ['id', ['0', '1'], 'a number of your own; 0 is admin'],
      ['username', ['admin', 'customer'], 'the name in `u` of a request, and at the login'],
      [
        'password_hash',
        [await hashPassword(password), await hashPassword(secretOf(12))],
        "made from the password; a column password with clear text is taken as well. Nobody knows the customer's: `npm run account -- set-password customer`",
      ],
      ['usertype', ['admin', 'user'], 'admin, reseller, accountant, partner, or user: a customer'],
      ['owner_id', '0', 'whose customer it is: admin, a reseller or a partner'],
      ['first_name', ['', 'First'], 'with the last name how lists name it'],
      ['last_name', [company, 'Customer'], 'see first_name'],
      ['tariff_id', ['', '1'], 'the tariff its calls are priced by'],
      ['currency', currency, 'its currency; blank: the default one'],
    ],
  }
}

const currencies = ({ currency }: NewInstallation): FirstFile => ({
  file: 'currencies',
  about: 'Currencies in which anything is.',
  rows: 1,
  columns: [
    ['name', currency, 'as tariffs and documents name it'],
    ['exchange_rate', '1', 'units of it for one unit of the default currency'],
  ],
})

const tariffs = ({ currency }: NewInstallation): FirstFile => ({
  file: 'tariffs',
  about: 'Price lists. Their rates are in rates.csv, or come from a carrier: `npm run rates`.',
  rows: 1,
  columns: [
    ['id', '1', 'a number of your own'],
    ['name', 'Retail', 'how lists name it'],
    ['purpose', 'retail', 'for example retail or user_wholesale'],
    ['currency', currency, 'in which its rates are; blank: the default one'],
    ['owner_id', '0', 'who made it: admin or a reseller'],
  ],
})

const RATES: FirstFile = {
  file: 'rates',
  about: 'What a minute costs, by the leading digits of the number.',
  rows: 3,
  columns: [
    ['tariff_id', '1', 'the tariff'],
    ['prefix', ['1', '44', '447'], 'leading digits, with the country code; the longest one that fits counts'],
    ['direction', ['USA', 'United Kingdom', 'United Kingdom'], 'the country'],
    ['destination', ['USA', 'United Kingdom', 'United Kingdom mobile'], 'how lists name it'],
    ['tariff_rate', ['0.02', '0.02', '0.05'], 'the price of a minute'],
    ['con_fee', '0', 'the price of the connection'],
    ['increment', '1', 'charged by so many seconds'],
    ['min_time', '0', 'at least so many seconds'],
  ],
}

const devices = (): FirstFile => ({
  file: 'devices',
  about: 'Phones.',
  rows: 1,
  columns: [
    ['id', '1', 'a number of your own'],
    ['user_id', '1', 'the account it belongs to'],
    ['device_type', 'SIP', 'SIP, IAX2, H323, ...'],
    ['name', '1001', 'by which the switch knows it'],
    ['secret', secretOf(12), 'its password at the switch'],
    ['extension', '1001', 'what is dialled to reach it'],
    ['callerid', '"First Customer" <1001>', 'what the other end sees'],
    ['description', 'The first phone', 'for people'],
  ],
})
