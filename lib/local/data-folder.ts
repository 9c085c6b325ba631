import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { ENDPOINT_FILE, root, URL_FILE } from './location.ts'

/** The folder that holds all local data; not under version control. */
export const dataFolder = `${root}.data`

/** Other commands read the endpoint of the installation that was started first from this file. */
const endpointFile = root + ENDPOINT_FILE

export const demoDataset = `${root}data/demo`

/** The files of one dataset: another dataset never mixes with the demo. */
export interface DataFiles {
  readonly database: string
  /** Exists while the dataset is loaded. A start that finds it loads the dataset again: loaded rows stay as they are. */
  readonly loading: string
  /** Locked while its engine runs: two engines on one database would lose each other's writes. */
  readonly lock: string
  /** Holds the endpoint of its engine while that runs: installations of other datasets may run beside it. */
  readonly endpoint: string
  /** The folder that its functions are built into. */
  readonly functions: string
}

export function dataFilesOf(dataset: string): DataFiles {
  const name = dataset === demoDataset ? 'tollgate' : fileNameOf(dataset)
  const path = `${dataFolder}/${name}`
  return {
    database: `${path}.db`,
    loading: `${path}.loading`,
    lock: `${path}.lock`,
    endpoint: `${path}.endpoint`,
    functions: `${path}.functions`,
  }
}

const fileNameOf = (dataset: string): string =>
  `${basename(dataset)}-${createHash('sha1').update(resolve(dataset)).digest('hex').slice(0, 6)}`

/**
 * Creates the folder and closes it to other users: the database holds the secret of every device. `fresh` removes a
 * stored database.
 */
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

/** Writes the endpoint of a dataset's engine. Other commands use the endpoint of the first installation by default. */
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

/** Writes the address of the API of the installation that was started first. */
export const writeUrl = (url: string): Promise<void> => writeFile(root + URL_FILE, `${url}\n`)

export const removeUrl = (): Promise<void> => rm(root + URL_FILE, { force: true })

/** The endpoint of the dataset, or by default the one that other commands use. */
export async function readEndpoint({ endpoint }: Partial<DataFiles> = {}): Promise<string | undefined> {
  const file = endpoint ?? endpointFile
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined
}

/** A path relative to the current folder, unless it is outside of it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
