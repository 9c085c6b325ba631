import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Route } from './gateway.ts'
import type { Metrics } from './metrics.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

/** A service manager that asks for longer starts the process again. */
const PATIENCE_MS = 2000

/**
 * What machines ask, without a signature: `GET /health` is 200 while the table answers, otherwise 503; `GET /metrics` is for
 * Prometheus. Neither tells anything of a customer.
 */
export const healthRoutes = (store: Store, metrics: Metrics): Route[] => [
  {
    path: '/health',
    verbs: ['GET', 'HEAD'],
    handler: async () => {
      const isWell = await answersInTime(store)
      const body = JSON.stringify({ status: isWell ? 'ok' : 'the table does not answer' })
      return { statusCode: isWell ? 200 : 503, headers: JSON_HEADERS, body }
    },
  },
  {
    path: '/metrics',
    verbs: ['GET'],
    handler: async () => ({
      statusCode: 200,
      headers: { ...JSON_HEADERS, 'Content-Type': metrics.contentType },
      body: await metrics.text(),
    }),
  },
]

const answersInTime = (store: Store): Promise<boolean> =>
  Promise.race([
    findSettings(store).then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref()),
  ])
