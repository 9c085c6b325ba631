import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Method } from '#lib/api/method.ts'
import type { Services } from '#lib/api/services.ts'
import { readSettings, startupWarning } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { functionConfig, isLambda } from '#lib/store/requests/aws-config.ts'
import { createClient, type StoreOptions } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { tableLocation } from '#lib/store/table.ts'
import { chooseDelivery } from './delivery.ts'
import { type Handler, serve } from './stack.ts'

/** The services of a running Lambda: the real clock, real chance, standard output. One client for all its calls. */
function lambdaServices(method: Method): Services {
  const table = isLambda(process.env) ? connected(ownTable()) : ownTable()
  return {
    openStore: (meter) => createStore({ ...table, meter }),
    clock: () => new Date(),
    delivery: chooseDelivery(method),
    random: { below: (bound) => randomInt(bound) },
    log: writeLine,
  }
}

const writeLine: Services['log'] = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

type Table = Omit<StoreOptions, 'meter'>

function ownTable(): Table {
  const location = tableLocation(process.env)
  return { client: createClient(location, functionConfig(process.env)), tableName: location.tableName }
}

/** In milliseconds. A Lambda may be frozen between its initialisation and its first call, and its connection gone. */
const LONGEST_OPENING = 1000

const patience = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false })

/**
 * The table, with its connection opening while the Lambda initialises, by the cheapest of what every call asks.
 * Calls wait for it, though not for ever: a second handshake beside it would take longer. What goes wrong here goes
 * wrong again in the call, which can say so.
 */
function connected(table: Table): Table {
  const opening = findSettings(createStore({ ...table, meter: createMeter() })).then(warnOf)
  return { ...table, opened: Promise.race([opening, patience(LONGEST_OPENING)]).catch(() => undefined) }
}

function warnOf(stored: Readonly<Record<string, unknown>>): void {
  const warning = startupWarning(readSettings(stored))
  if (warning !== undefined) writeLine({ warning })
}

export const lambda = (method: Method): Handler => serve(method, lambdaServices(method))
