import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pRetry from 'p-retry'
import type { TableLocation } from '#lib/table/table.ts'
import { isLocked, lockFile } from './file-lock.ts'

/** A running `npm start`, described for its user's other commands: the endpoint has the access key. */
export interface Running {
  /** The address of the API. Each installation has a port of its own. */
  readonly url: string
  readonly dataset: string
  readonly location: TableLocation
  /** An ISO date-time. */
  readonly startedAt: string
}

const FOLDER = '.data/running'

/** Describes an installation in a file, locked until the returned release or the process's end. */
export async function announceRunning(folder: string, running: Running): Promise<() => Promise<void>> {
  const path = join(folder, FOLDER, `${new URL(running.url).port}.json`)
  const refusal = () => `${path} is in use: stop the other npm start first.`
  // A command that reads the list holds the lock for a moment.
  const release = await pRetry(() => lockFile(path, refusal, JSON.stringify(running)), {
    retries: 50,
    minTimeout: 10,
    factor: 1,
  })
  return async () => {
    await rm(path, { force: true })
    release()
  }
}

/** The running installations, the one that started first at the front: the commands use it by default. */
export const listRunning = (folder: string): Running[] =>
  announcements(folder)
    .filter(({ path }) => isLocked(path))
    .map(({ running }) => running)

export const runningOver = (folder: string, { tableName, endpoint }: TableLocation): Running | undefined =>
  listRunning(folder).find(
    ({ location }) => location.endpoint === endpoint && location.tableName === tableName,
  )

/** Endpoints of a dataset's installations, even ended ones: an engine may outlive them for a moment. */
export const endpointsOf = (folder: string, dataset: string): string[] =>
  announcements(folder).flatMap(({ running: { dataset: other, location } }) =>
    other === resolve(dataset) && location.endpoint !== undefined ? [location.endpoint] : [],
  )

function announcements(folder: string): { readonly path: string; readonly running: Running }[] {
  const paths = namesIn(join(folder, FOLDER)).map((name) => join(folder, FOLDER, name))
  return paths
    .flatMap((path) => readAnnouncement(path).map((running) => ({ path, running })))
    .sort((one, other) => one.running.startedAt.localeCompare(other.running.startedAt))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The list is empty if the file is removed or written at this moment. */
function readAnnouncement(path: string): Running[] {
  try {
    return [JSON.parse(readFileSync(path, 'utf8')) as Running]
  } catch {
    return []
  }
}
