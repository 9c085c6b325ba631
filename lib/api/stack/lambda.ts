import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Method, Services } from '#lib/api/method.ts'
import type { AnswerTransport } from '#lib/api/response.ts'
import { type ReadItems, rememberingReader } from '#lib/settings/recent-items.ts'
import { readSettings, startupWarning } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { isLambda } from '#lib/table/requests/aws-config.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { lambdaTableServices, type TableServices } from '#lib/table/store.ts'
import { formatProblem } from '#lib/table/table-format.ts'
import { type Handler, serve } from './stack.ts'

/** Services of a Lambda, or a method on the local server. Its calls share a client and its memory. */
export function lambdaServices(method: Pick<Method, 'streams'> = {}): Services {
  const services = lambdaTableServices()
  return {
    ...services,
    ...(isServing(process.env) && { readItems: readerOf(services), memory: {} }),
    transport: chooseTransport(method),
    random: { below: (bound) => randomInt(bound) },
  }
}

const isServing = (environment: NodeJS.ProcessEnv): boolean =>
  isLambda(environment) || environment['IS_OFFLINE'] !== undefined

/** The local server opened the table when it started. */
const readerOf = (services: TableServices): ReadItems => {
  const readItems = rememberingReader(services.clock)
  return isLambda(process.env) ? startReading(services, readItems) : readItems
}

/** A Lambda may be frozen between its initialisation and its first call, which can break its connection. */
const MAX_OPENING_MS = 1000

/**
 * Reads the settings while the Lambda initialises, which opens the connection. The first call waits for that
 * up to a limit, because a second handshake would take longer, and then knows the settings. An error here is
 * ignored: the call meets it again and reports it.
 */
function startReading({ openStore, log }: TableServices, readItems: ReadItems): ReadItems {
  const reading = readItems(openStore(createMeter()), [{ key: settingsKey, mayBeRecent: true }])
  const warned = reading.then(([settings]) => {
    const warning = formatProblem(settings) ?? startupWarning(readSettings(settings ?? {}))
    if (warning !== undefined) log({ warning })
  })
  const timeout = setTimeout(MAX_OPENING_MS, undefined, { ref: false })
  const opened = Promise.race([warned, timeout]).catch(() => undefined)
  return async (...request) => {
    await opened
    return readItems(...request)
  }
}

const MB = 1_000_000

/** A Lambda's answer may have 6 MB of JSON, which holds the body in base64. */
const BUFFERED: AnswerTransport = { streams: false, maxBytes: 4.4 * MB }

/** API Gateway carries a stream of up to 200 MB. */
const STREAMED: AnswerTransport = { streams: true, maxBytes: 200 * MB }

/** A method's transport in this process. The local server streams the same ones, with the same limits. */
export function chooseTransport(method: { readonly streams?: true }): AnswerTransport {
  if (!method.streams) return BUFFERED
  if (process.env['IS_OFFLINE']) return { ...STREAMED, unwrapped: true }
  return canStream() ? STREAMED : BUFFERED
}

/**
 * The runtime of a streaming Lambda has a global `awslambda` that can wrap a handler. AWS packages create an
 * empty one in any process, so its presence alone proves nothing.
 */
function canStream(): boolean {
  const { awslambda } = globalThis as { awslambda?: { streamifyResponse?: unknown } }
  return typeof awslambda?.streamifyResponse === 'function'
}

export const lambda = (method: Method): Handler => serve(method, lambdaServices(method))
