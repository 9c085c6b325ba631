import { randomInt } from 'node:crypto'
import { createClient, tableLocation } from '#lib/store/client.ts'
import { createStore } from '#lib/store/store.ts'
import { chooseDelivery } from './delivery.ts'
import type { Method } from './method.ts'
import type { Services } from './services.ts'
import { type Handler, serve } from './stack.ts'

/** The services of a running Lambda: the real clock, real chance, standard output. One client for all its calls. */
function lambdaServices(method: Method): Services {
  const location = tableLocation(process.env)
  const client = createClient(location)
  return {
    openStore: (meter) => createStore({ client, tableName: location.tableName, meter }),
    clock: () => new Date(),
    delivery: chooseDelivery(method),
    random: { below: (bound) => randomInt(bound) },
    log: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
  }
}

export const lambda = (method: Method): Handler => serve(method, lambdaServices(method))
