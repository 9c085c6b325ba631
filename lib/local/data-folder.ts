import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { ENDPOINT_FILE } from './location.ts'
import { root } from './root.ts'

/** Everything local runs keep; not under version control. */
export const dataFolder = `${root}.data`

/** Where the other commands find the running engine. */
const endpointFile = root + ENDPOINT_FILE

export const demoDataset = `${root}data/demo`

/** Where one dataset lives: another dataset never mixes with the demo. */
export interface DataFiles {
  readonly database: string
  /** There while the dataset is being loaded: who finds it loads again, which changes nothing that is there. */
  readonly loading: string
}

export function dataFilesOf(dataset: string): DataFiles {
  const name = dataset === demoDataset ? 'tollgate' : nameOf(dataset)
  return { database: `${dataFolder}/${name}.db`, loading: `${dataFolder}/${name}.loading` }
}

const nameOf = (dataset: string): string =>
  `${basename(dataset)}-${createHash('sha1').update(resolve(dataset)).digest('hex').slice(0, 6)}`

/** Only for whoever runs it: the database holds every device's secret. One from before this rule is closed as well. */
export async function prepareDataFolder({ database, loading }: DataFiles, fresh: boolean): Promise<void> {
  await mkdir(dirname(database), { recursive: true })
  await chmod(dirname(database), 0o700)
  const files = [database, `${database}-wal`, `${database}-shm`]
  if (fresh) await Promise.all([...files, loading].map((file) => rm(file, { force: true })))
  await Promise.all(files.filter((file) => existsSync(file)).map((file) => chmod(file, 0o600)))
}

export const writeEndpoint = (endpoint: string): Promise<void> => writeFile(endpointFile, `${endpoint}\n`)

export const removeEndpoint = (): Promise<void> => rm(endpointFile, { force: true })

export const readEndpoint = async (): Promise<string | undefined> =>
  existsSync(endpointFile) ? (await readFile(endpointFile, 'utf8')).trim() : undefined

/** A path as the user would type it. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}
