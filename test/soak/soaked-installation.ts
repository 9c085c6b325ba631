import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTable } from '#tools/commands/open-table.ts'
import { addIntakeNamed } from '#tools/commands/switches/intake-tool.ts'
import { program, root } from '#tools/machine/location.ts'
import { type ServedFolder, serveFolder } from './server-process.ts'

/** The customers of the soak, by id. */
export const CUSTOMERS = Array.from({ length: 20 }, (_, index) => 100 + index)

export const soakedUsername = (customer: number): string => `customer${customer}`

/** `npm start` on a dataset of its own, which may be killed and started again. */
export interface SoakedInstallation extends Omit<ServedFolder, 'folder'> {
  readonly key: string
  /** The header that admits the switch `pbx1`. */
  readonly authorization: string
  /** Runs a command of package.json on its table. Returns the exit code and the output. */
  run(...words: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
}

export async function startSoaked(rates: number): Promise<SoakedInstallation> {
  const key = randomBytes(16).toString('hex')
  const { folder, ...served } = await serveFolder((into) => writeDataset(into, key, rates))
  const [intake = ''] = await addIntakeNamed(openTable(served.location), 'pbx1', {}, new Date())
  const [name, secret] = intake.split(' ')
  return {
    ...served,
    key,
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    run: (...words) => runCommand([...words, '--data', folder]),
  }
}

/** A rate for each prefix from 10000 on. */
export const ratesCsv = (count: number, price: string): string =>
  [
    'tariff_id,prefix,tariff_rate,destination',
    ...Array.from({ length: count }, (_, index) => `1,${10_000 + index},${price},Destination ${index}`),
  ].join('\n')

/** A legacy hash that no password has: nobody logs in during a soak. */
const NO_PASSWORD = '0'.repeat(40)

async function writeDataset(folder: string, key: string, rates: number): Promise<void> {
  const customers = CUSTOMERS.map((id) => `${id},${soakedUsername(id)},${NO_PASSWORD},user,0,1`)
  const files = {
    'settings.csv': `name,value\nAllow_API,1\nAPI_Secret_Key,${key}\nDefault_Currency,EUR\nTimezone,UTC\n`,
    'currencies.csv': 'name,exchange_rate\nEUR,1\n',
    'tariffs.csv': 'id,name,currency,purpose,owner_id\n1,Retail,EUR,retail,0\n',
    'users.csv': [
      'id,username,password_hash,usertype,owner_id,tariff_id',
      `0,admin,${NO_PASSWORD},admin,0,`,
      ...customers,
    ].join('\n'),
    'rates.csv': ratesCsv(rates, '0.6'),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

async function runCommand(words: readonly string[]) {
  const child = spawn(process.execPath, [program, ...words], { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, output }
}
