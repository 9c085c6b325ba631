import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { createClient, tableLocation } from '#lib/store/client.ts'
import { settingsKey } from '#lib/store/keys.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { chooseDelivery } from './delivery.ts'
import type { Method } from './method.ts'
import type { Services } from './services.ts'
import { type Handler, serve } from './stack.ts'

/** Compiling a parser pays for many calls of one shape; a Lambda waits for it in its first. */
z.config({ jitless: true })

/** The services of a running Lambda: the real clock, real chance, standard output. One client for all its calls. */
function lambdaServices(method: Method): Services {
  const location = tableLocation(process.env)
  const client = createClient(location)
  const openStore: Services['openStore'] = (meter) =>
    createStore({ client, tableName: location.tableName, meter })
  if (isLambda()) connect(openStore)
  return {
    openStore,
    clock: () => new Date(),
    delivery: chooseDelivery(method),
    random: { below: (bound) => randomInt(bound) },
    log: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
  }
}

const isLambda = () => process.env['AWS_LAMBDA_FUNCTION_NAME'] && !process.env['IS_OFFLINE']

/**
 * Opens the first connection to the table while the Lambda initialises, with the cheapest of what every call asks; the
 * call then finds name, handshake and code ready. What goes wrong here goes wrong again in the call, which can say so.
 */
function connect(openStore: Services['openStore']): void {
  openStore(createMeter())
    .get(settingsKey)
    .catch(() => undefined)
}

export const lambda = (method: Method): Handler => serve(method, lambdaServices(method))
