import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TableLocation } from '#lib/store/table.ts'
import { openTable } from '#tools/commands/open-table.ts'
import { addIntakeNamed } from '#tools/commands/switches/intake-tool.ts'
import { dataFilesOf, prepareDataFolder } from '#tools/machine/data-folder.ts'
import { program, root } from '#tools/machine/location.ts'
import { freePort } from '#tools/server/engine.ts'
import { killServer, locationAt, startServer } from './server-process.ts'

/** The customers of the soak, by id. */
export const CUSTOMERS = Array.from({ length: 20 }, (_, index) => 100 + index)

export const usernameOf = (customer: number): string => `customer${customer}`

/** `npm start` on a dataset of its own, which may be killed and started again. */
export interface SoakedInstallation {
  readonly url: string
  readonly key: string
  /** The header that admits the switch `pbx1`. */
  readonly authorization: string
  location(): TableLocation
  /** Ends the process as a power cut does, and starts it again over the same data. */
  killAndStart(): Promise<void>
  /** Runs a command of package.json on its table. Returns the exit code and the output. */
  run(...words: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
  remove(): Promise<void>
}

export async function startSoaked(rates: number): Promise<SoakedInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-soak-'))
  const key = randomBytes(16).toString('hex')
  await writeDataset(folder, key, rates)
  const port = await freePort()
  const url = `http://localhost:${port}`
  let server = await startServer(folder, port)
  const location = () => locationAt(port)
  const [intake = ''] = await addIntakeNamed(openTable(location()), 'pbx1', {}, new Date())
  const [name, secret] = intake.split(' ')
  return {
    url,
    key,
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    location,
    killAndStart: async () => {
      await killServer(server)
      server = await startServer(folder, port)
    },
    run: (...words) => runCommand([...words, '--data', folder]),
    remove: async () => {
      await killServer(server)
      const files = dataFilesOf(folder)
      await setTimeout(500)
      await prepareDataFolder(files, true)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A rate for each prefix from 10000 on. */
export const ratesFile = (count: number, price: string): string =>
  [
    'tariff_id,prefix,tariff_rate,destination',
    ...Array.from({ length: count }, (_, index) => `1,${10_000 + index},${price},Destination ${index}`),
  ].join('\n')

/** A legacy hash that no password has: nobody logs in during a soak. */
const NO_PASSWORD = '0'.repeat(40)

async function writeDataset(folder: string, key: string, rates: number): Promise<void> {
  const customers = CUSTOMERS.map((id) => `${id},${usernameOf(id)},${NO_PASSWORD},user,0,1`)
  const files = {
    'settings.csv': `name,value\nAllow_API,1\nAPI_Secret_Key,${key}\nDefault_Currency,EUR\nTimezone,UTC\n`,
    'currencies.csv': 'name,exchange_rate\nEUR,1\n',
    'tariffs.csv': 'id,name,currency,purpose,owner_id\n1,Retail,EUR,retail,0\n',
    'users.csv': [
      'id,username,password_hash,usertype,owner_id,tariff_id',
      `0,admin,${NO_PASSWORD},admin,0,`,
      ...customers,
    ].join('\n'),
    'rates.csv': ratesFile(rates, '0.6'),
  }
  await mkdir(folder, { recursive: true })
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
