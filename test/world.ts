import { randomInt, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { expect, inject, onTestFailed } from 'vitest'
import type { Contract, Method, Services } from '#lib/api/method.ts'
import type { RequestContext } from '#lib/api/request-context.ts'
import { orderApplies, signatureOf } from '#lib/api/signature.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { type DatasetRows, importRows } from '#lib/dataset/import/import.ts'
import { once } from '#lib/domain/collections.ts'
import type { SettingName } from '#lib/domain/settings.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { rememberingReader } from '#lib/store/recent-items.ts'
import { createClient, type StoreOptions, type TableClient } from '#lib/store/requests/client.ts'
import { createMeter, type Meter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { beginWith } from '#test/beginnings.ts'
import { type DumpedItem, dumpTable } from '#test/dump.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { noteRejection, witnessed } from '#test/evidence/evidence.ts'
import { noted, notedLine, notedRows, noteSecretsOf } from '#test/evidence/log-evidence.ts'
import { emptyTable, type LiveInstallation, START_OF_TESTS } from '#test/live/installation.ts'
import { liveInstallation, sendLive } from '#test/live/sending.ts'
import { skippingUnits } from '#test/older-engine/units.ts'
import { skipTest } from '#test/skip.ts'
import { createTable } from '#tools/server/engine.ts'

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
  const live = liveInstallation()
  const table = live ? await theLiveTable(live) : await anEmptyTable()
  const meter = createMeter()
  const store = createStore({ ...table, meter })
  const log: World['log'] = []
  const services: Services = {
    openStore: (of) => createStore({ ...table, meter: of }),
    clock: () => world.now,
    transport: { streams: false, maxBytes: 4_400_000 },
    random: { below: (bound) => randomInt(bound) },
    log: (line) => {
      log.push(skippingUnits(notedLine(line)))
      printIfTestFails(line)
    },
  }
  const send: World['send'] = live ? (...request) => sendLive(live, ...request) : sendingTo(services)
  const world: World = {
    services,
    store,
    table,
    meter,
    log,
    now: START_OF_TESTS,
    given: (rows) => importRows({ store, clock: () => world.now }, notedRows(rows)),
    set: async (settings) => void (await store.update(settingsKey, { set: noted(settings) })),
    send,
    call: callingWith(send),
    callInVain: async (...call) => {
      const before = await world.dump()
      const body = await world.call(...call)
      expect(await world.dump()).toEqual(before)
      return body
    },
    dump: () => dumpTable(table.client, table.tableName),
  }
  const switches = { Allow_API: '1', ...(live && { Allow_GET_API: '1' }) }
  await begin(world, rows, { ...switches, API_Secret_Key: SECRET_KEY, ...settings })
  return live ? asSeenOverHttp(world) : world
}

/** The meter of the world does not count the cost. */
const begin = ({ table, now }: World, rows: DatasetRows, settings: Settings): Promise<void> =>
  beginWith(table, [settings, rows], async () => {
    const store = createStore({ ...table, meter: createMeter() })
    await store.update(settingsKey, { set: noted(settings) })
    await importRows({ store, clock: () => now }, notedRows(rows))
  })

/** A test that needs more than HTTP and the table is skipped. A method that reads has to answer GET and JSON alike. */
const asSeenOverHttp = (world: World): World => ({
  ...world,
  call: async (method, username, params = {}) => {
    const answer = await world.call(method, username, params)
    if (method.access === 'write' || method.postOnly) return answer
    const sent = new URLSearchParams(formOf(method, username, params))
    const json = {
      body: JSON.stringify(Object.fromEntries(sent)),
      headers: { 'Content-Type': 'application/json' },
    }
    expect(bodyOf(await world.send(method, json))).toBe(answer)
    expect(bodyOf(await world.send(method, { method: 'GET', query: [...sent] }))).toBe(answer)
    return answer
  },
  get services() {
    return skipTest('it runs the function itself')
  },
  get log() {
    return skipTest('it reads the log')
  },
  get now() {
    return START_OF_TESTS
  },
  set now(_moment: Date) {
    skipTest('it moves the clock')
  },
})

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

/** The calls of one warm Lambda, which remembers for a second of the world's clock what it has read. */
export const warmCalls = ({ services }: World): World['call'] =>
  callingWith(sendingTo({ ...services, readItems: rememberingReader(services.clock) }))

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

const callingWith =
  (send: World['send']): World['call'] =>
  async (method, username, params = {}) =>
    bodyOf(await send(method, { body: formOf(method, username, params) }))

async function anEmptyTable() {
  const tableName = `world-${randomUUID()}`
  const client = clientFor(inject('endpoint'))
  await createTable(client, tableName)
  return { client, tableName }
}

async function theLiveTable({ tableName, endpoint = '' }: LiveInstallation) {
  const table = { client: clientFor(endpoint), tableName }
  await emptyTable(table)
  return table
}

/** One for all worlds of a process: what a client keeps between requests is its connections. */
const clientFor = once((endpoint: string) => createClient({ tableName: '', ...(endpoint && { endpoint }) }))

const formOf = (method: Method, username: string | undefined, params: Parameters): string =>
  signedForm(method, { ...(username !== undefined && { u: username }), ...params })

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
