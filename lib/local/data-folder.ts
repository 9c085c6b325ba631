import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { ENDPOINT_FILE, URL_FILE } from './location.ts'
import { root } from './root.ts'

/** Everything local runs keep; not under version control. */
export const dataFolder = `${root}.data`

/** Where the other commands find a running engine: that of the installation that was started first. */
const endpointFile = root + ENDPOINT_FILE

export const demoDataset = `${root}data/demo`

/** Where one dataset lives: another dataset never mixes with the demo. */
export interface DataFiles {
  readonly database: string
  /** There while the dataset is being loaded: who finds it loads again, which changes nothing that is there. */
  readonly loading: string
  /** Locked while its engine runs: two engines on one database would lose each other's writes. */
  readonly lock: string
  /** Where its engine answers while it runs: installations of other datasets may run beside it. */
  readonly endpoint: string
  /** Where its functions are built to. */
  readonly functions: string
}

export function dataFilesOf(dataset: string): DataFiles {
  const name = dataset === demoDataset ? 'tollgate' : nameOf(dataset)
  const path = `${dataFolder}/${name}`
  return {
    database: `${path}.db`,
    loading: `${path}.loading`,
    lock: `${path}.lock`,
    endpoint: `${path}.endpoint`,
    functions: `${path}.functions`,
  }
}

const nameOf = (dataset: string): string =>
  `${basename(dataset)}-${createHash('sha1').update(resolve(dataset)).digest('hex').slice(0, 6)}`

/** Only for whoever runs it: the database holds every device's secret. One from before this rule is closed as well. */
export async function prepareDataFolder(
  { database, loading }: Pick<DataFiles, 'database' | 'loading'>,
  fresh: boolean,
): Promise<void> {
  await mkdir(dirname(database), { recursive: true })
  await chmod(dirname(database), 0o700)
  const files = [database, `${database}-wal`, `${database}-shm`]
  if (fresh) await Promise.all([...files, loading].map((file) => rm(file, { force: true })))
  await Promise.all(files.filter((file) => existsSync(file)).map((file) => chmod(file, 0o600)))
}

/** Tells where the engine of a dataset answers; answers whether the other commands use it when they are told nothing. */
export async function writeEndpoint(
  files: Pick<DataFiles, 'endpoint'>,
  endpoint: string,
  isFirst: boolean,
): Promise<void> {
  await writeFile(files.endpoint, `${endpoint}\n`)
  if (isFirst) await writeFile(endpointFile, `${endpoint}\n`)
}

export async function removeEndpoint(files: Pick<DataFiles, 'endpoint'>, endpoint: string): Promise<void> {
  await rm(files.endpoint, { force: true })
  if ((await readEndpoint()) === endpoint) await rm(endpointFile, { force: true })
}

/** Tells where the API of the installation that was started first listens. */
export const writeUrl = (url: string): Promise<void> => writeFile(root + URL_FILE, `${url}\n`)

export const removeUrl = (): Promise<void> => rm(root + URL_FILE, { force: true })

/** Of the dataset, or else what the other commands use. */
export async function readEndpoint({ endpoint }: Partial<DataFiles> = {}): Promise<string | undefined> {
  const file = endpoint ?? endpointFile
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined
}

/** A path as the user would type it. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
