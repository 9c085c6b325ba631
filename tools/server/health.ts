import { stat, statfs } from 'node:fs/promises'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Route } from './gateway.ts'
import type { Metrics } from './metrics.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

/** A service manager that asks for longer starts the process again. */
const PATIENCE_MS = 2000

/** With less room, the engine may fail to store what comes next: SQLite writes its log first. */
const LEAST_FREE_BYTES = 64_000_000

const MAX_BACKUP_AGE_SECONDS = 86_400

/** The files of the database on this machine. */
interface HealthFiles {
  readonly folder: string
  readonly database?: string
  readonly lastBackup?: string
}

/**
 * The routes for machines, without a signature. `GET /health` is 200 while the table answers and the disk of
 * its `folder` has room, otherwise 503, and reports a backup that is older than a day, or none for a day.
 * `GET /metrics` is for Prometheus. Neither has anything of a customer.
 */
export const healthRoutes = (store: Store, metrics: Metrics, files?: HealthFiles): Route[] => [
  {
    path: '/health',
    verbs: ['GET', 'HEAD'],
    handler: async () => {
      const problem = await problemOf(store, files?.folder)
      const age = await backupAge(files)
      const backup = age !== undefined && age > MAX_BACKUP_AGE_SECONDS ? 'older than a day' : undefined
      const body = JSON.stringify({ status: problem ?? 'ok', backup })
      return { statusCode: problem ? 503 : 200, headers: JSON_HEADERS, body }
    },
  },
  {
    path: '/metrics',
    verbs: ['GET'],
    handler: async () => ({
      statusCode: 200,
      headers: { ...JSON_HEADERS, 'Content-Type': metrics.contentType },
      body: (await metrics.text()) + backupMetric(await backupAge(files)),
    }),
  },
]

/** The seconds since the last backup, or since the database was made; `undefined` without both. */
async function backupAge({ lastBackup = '', database = '' }: Partial<HealthFiles> = {}) {
  const [backup, made] = await Promise.all(
    [lastBackup, database].map((path) => stat(path).catch(() => undefined)),
  )
  const since = backup?.mtimeMs ?? made?.birthtimeMs
  return since === undefined ? undefined : Math.round((Date.now() - since) / 1000)
}

const backupMetric = (age: number | undefined): string =>
  age === undefined
    ? ''
    : `# HELP tollgate_backup_age_seconds Since the last backup, or since the database was made\n# TYPE tollgate_backup_age_seconds gauge\ntollgate_backup_age_seconds ${age}\n`

async function problemOf(store: Store, folder: string | undefined): Promise<string | undefined> {
  if (!(await answersInTime(store))) return 'the table does not answer'
  if (folder === undefined) return undefined
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < LEAST_FREE_BYTES ? 'the disk is full' : undefined
}

const answersInTime = (store: Store): Promise<boolean> =>
  Promise.race([
    findSettings(store).then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref()),
  ])
