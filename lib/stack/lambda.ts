import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Method } from '#lib/api/method.ts'
import type { Services } from '#lib/api/services.ts'
import { readSettings, settingsWarning } from '#lib/domain/settings.ts'
import { createClient } from '#lib/store/client.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore, type StoreOptions } from '#lib/store/store.ts'
import { type TableLocation, tableLocation } from '#lib/store/table-location.ts'
import { chooseDelivery } from './delivery.ts'
import { type Handler, serve } from './stack.ts'

/** The services of a running Lambda: the real clock, real chance, standard output. One client for all its calls. */
function lambdaServices(method: Method): Services {
  const location = tableLocation(process.env)
  const client = isLambda() ? connected(location) : createClient(location)
  return {
    openStore: (meter) => createStore({ client, tableName: location.tableName, meter }),
    clock: () => new Date(),
    delivery: chooseDelivery(method),
    random: { below: (bound) => randomInt(bound) },
    log: writeLine,
  }
}

const writeLine: Services['log'] = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** In milliseconds. A Lambda may be frozen between its initialisation and its first call, and its connection gone. */
const LONGEST_OPENING = 1000

const patience = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false })

const isLambda = () => process.env['AWS_LAMBDA_FUNCTION_NAME'] && !process.env['IS_OFFLINE']

/**
 * A client whose connection to the table opens while the Lambda initialises, with the cheapest of what every call asks.
 * Calls wait for it, though not for ever: a second handshake beside it would take longer. What goes wrong here goes
 * wrong again in the call, which can say so.
 */
function connected(location: TableLocation): StoreOptions['client'] {
  const client = createClient(location)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  const opening = findSettings(store).then(warnOf)
  const opened = Promise.race([opening, patience(LONGEST_OPENING)]).catch(() => undefined)
  return { send: (operation, input) => opened.then(() => client.send(operation, input)) }
}

function warnOf(stored: Readonly<Record<string, unknown>>): void {
  const warning = settingsWarning(readSettings(stored))
  if (warning !== undefined) writeLine({ warning })
}

export const lambda = (method: Method): Handler => serve(method, lambdaServices(method))
