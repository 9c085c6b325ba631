import { randomInt, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { expect, inject, onTestFailed } from 'vitest'
import type { Contract, Method, Services } from '#lib/api/method.ts'
import type { RequestContext } from '#lib/api/request-context.ts'
import { orderApplies, signatureOf } from '#lib/api/signature.ts'
import { type DatasetRows, importRows } from '#lib/dataset/import/import.ts'
import { once } from '#lib/domain/collections.ts'
import type { SettingName } from '#lib/domain/settings.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { serve } from '#lib/stack/stack.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { createClient, type StoreOptions, type TableClient } from '#lib/store/requests/client.ts'
import { createMeter, type Meter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { beginWith } from '#lib/testing/beginnings.ts'
import { type DumpedItem, dumpTable } from '#lib/testing/dump.ts'
import { aContext, anEvent, type Request } from '#lib/testing/event.ts'
import { noteRejection, witnessed } from '#lib/testing/evidence/evidence.ts'
import { noted, notedLine, notedRows, noteSecretsOf } from '#lib/testing/evidence/log-evidence.ts'

export const SECRET_KEY = 'secret-of-tests'

type Settings = Partial<Record<SettingName, string>>

type Parameters = Readonly<Record<string, string | number>>

/** An installation of its own: a table, a stopped clock, a recorded log, and clients that sign correctly. */
export interface World {
  readonly services: Services
  readonly store: Store
  /** For stores of a test's own, such as one whose requests fail. */
  readonly table: Pick<StoreOptions, 'client' | 'tableName'>
  /** Counts what goes through `store`, not what the calls cost: that is in `log`. */
  readonly meter: Meter
  readonly log: Readonly<Record<string, unknown>>[]
  now: Date
  given(rows: DatasetRows): Promise<void>
  set(settings: Settings): Promise<void>
  /** The body of the answer to a signed POST. */
  call(method: Method, username: string | undefined, params?: Parameters): Promise<string>
  /** The same for a call that must leave everything as it is. */
  callInVain(method: Method, username: string | undefined, params?: Parameters): Promise<string>
  send(method: Method, request: Request): Promise<APIGatewayProxyResult>
  /** Every item of the table, for comparing before and after. */
  dump(): Promise<DumpedItem[]>
}

/** Begins with rows of dataset files and with settings; neither is counted by its meter. */
export async function aWorld(rows: DatasetRows = {}, settings: Settings = {}): Promise<World> {
  const table = await anEmptyTable()
  const meter = createMeter()
  const store = createStore({ ...table, meter })
  const log: World['log'] = []
  const services: Services = {
    openStore: (of) => createStore({ ...table, meter: of }),
    clock: () => world.now,
    transport: { streams: false, maxBytes: 4_400_000 },
    random: { below: (bound) => randomInt(bound) },
    log: (line) => {
      log.push(notedLine(line))
      printIfTestFails(line)
    },
  }
  const send = sendingTo(services)
  const world: World = {
    services,
    store,
    table,
    meter,
    log,
    now: new Date('2026-03-10T12:00:00Z'),
    given: (rows) => importRows({ store, clock: () => world.now }, notedRows(rows)),
    set: async (settings) => void (await store.update(settingsKey, { set: noted(settings) })),
    send,
    call: async (method, username, params = {}) =>
      bodyOf(
        await send(method, {
          body: signedForm(method, { ...(username !== undefined && { u: username }), ...params }),
        }),
      ),
    callInVain: async (...call) => {
      const before = await world.dump()
      const body = await world.call(...call)
      expect(await world.dump()).toEqual(before)
      return body
    },
    dump: () => dumpTable(table.client, table.tableName),
  }
  const first = { Allow_API: '1', API_Secret_Key: SECRET_KEY, ...noted(settings) }
  await beginWith(table, [first, rows], async () => {
    const unmetered = createStore({ ...table, meter: createMeter() })
    await unmetered.update(settingsKey, { set: noted(first) })
    await importRows({ store: unmetered, clock: () => world.now }, notedRows(rows))
  })
  return world
}

/** The same world, with its table reached by another client. */
export function withClient<W extends World>(world: W, client: TableClient): W {
  const { tableName } = world.table
  const openStore: Services['openStore'] = (meter) => createStore({ client, tableName, meter })
  return { ...world, store: openStore(world.meter), services: { ...world.services, openStore } }
}

/** Prints the error behind an `Internal error` when the test fails, because the answer does not tell it. */
function printIfTestFails({ outcome, error }: Readonly<Record<string, unknown>>): void {
  if (outcome !== 'failed' || expect.getState().currentTestName === undefined) return
  onTestFailed(() => void process.stderr.write(`${inspect(error)}\n`))
}

const sendingTo =
  (services: Services): World['send'] =>
  async (method, request) => {
    const context = aContext()
    const answer = await serve(witnessed(method), services)(anEvent(request), context)
    const body = bodyOf(answer)
    noteRejection(method, (context as RequestContext).findings, body)
    noteSecretsOf(request, body)
    return answer
  }

async function anEmptyTable() {
  const tableName = `world-${randomUUID()}`
  const client = clientFor(inject('endpoint'))
  await createTable(client, tableName)
  return { client, tableName }
}

/** One for all worlds of a process: what a client keeps between requests is its connections. */
const clientFor = once((endpoint: string) => createClient({ tableName: '', endpoint }))

/** A form body, signed in the first order of the contract that applies. */
export function signedForm({ hashOrders }: Pick<Contract, 'hashOrders'>, params: Parameters): string {
  const raw = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
  const order = hashOrders.find((one) => orderApplies(raw, one))
  const hash = order && signatureOf(raw, order, SECRET_KEY)
  return new URLSearchParams(noted({ ...(hash && { hash }), ...raw })).toString()
}

export function bodyOf({ body, isBase64Encoded }: APIGatewayProxyResult): string {
  return isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
}
