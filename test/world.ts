import { randomInt } from 'node:crypto'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { expect, onTestFailed } from 'vitest'
import type { Contract, Method, Services } from '#lib/api/method.ts'
import { orderApplies, signatureOf } from '#lib/api/signature.ts'
import { rememberingReader } from '#lib/settings/recent-items.ts'
import type { SettingName } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { StoreOptions, TableClient } from '#lib/table/requests/client.ts'
import { createMeter, type Meter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { type DumpedItem, dumpTable } from '#test/dump.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { serveNoted } from '#test/evidence/evidence.ts'
import { noted, notedLine, notedRows, noteSecretsOf } from '#test/evidence/log-evidence.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { tableBeginningWith } from '#test/test-table.ts'

export const SECRET_KEY = 'secret-of-tests'

/** The stopped clock of every test shows this moment, until the test moves it. */
export const START_OF_TESTS = new Date('2026-03-10T12:00:00Z')

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

/**
 * Begins with settings, and with rows of dataset files that were imported at a moment; neither is counted by
 * its meter.
 */
export async function aWorld(
  rows: DatasetRows = {},
  settings: Settings = {},
  imported = START_OF_TESTS,
): Promise<World> {
  const first = { Allow_API: '1', API_Secret_Key: SECRET_KEY, ...settings }
  const table = await tableBeginningWith([first, rows, imported], (empty) =>
    fill(createStore({ ...empty, meter: createMeter() }), imported, rows, first),
  )
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
    now: START_OF_TESTS,
    given: (more) => fill(store, world.now, more),
    set: (changed) => fill(store, world.now, {}, changed),
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
  return world
}

/** Lets the world's clock go on. */
export function pass(world: World, seconds: number): void {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}

async function fill(store: Store, now: Date, rows: DatasetRows, settings: Settings = {}): Promise<void> {
  if (Object.keys(settings).length > 0) await store.update(settingsKey, { set: noted(settings) })
  if (Object.keys(rows).length > 0) await importRows({ store, clock: () => now }, notedRows(rows))
}

/** The same world, with its table reached by another client. */
export function withClient<W extends World>(world: W, client: TableClient): W {
  const { tableName } = world.table
  const openStore: Services['openStore'] = (meter) => createStore({ client, tableName, meter })
  const services = { ...world.services, openStore }
  const send = sendingTo(services)
  return { ...world, store: openStore(world.meter), services, send, call: callingWith(send) }
}

/** Prints the error behind an `Internal error` when the test fails, because the answer does not tell it. */
function printIfTestFails({ outcome, error }: Readonly<Record<string, unknown>>): void {
  if (outcome !== 'failed' || expect.getState().currentTestName === undefined) return
  onTestFailed(() => void process.stderr.write(`${inspect(error)}\n`))
}

/** The calls of one warm Lambda, which remembers for a second of the world's clock what it has read. */
export const warmCalls = ({ services }: World): World['call'] =>
  callingWith(sendingTo({ ...services, readItems: rememberingReader(services.clock), memory: {} }))

const sendingTo =
  (services: Services): World['send'] =>
  async (method, request) => {
    const openStore = notingWrites(method.name, services.openStore)
    const answer = await serveNoted(method, { ...services, openStore })(anEvent(request), aContext())
    noteSecretsOf(request, bodyOf(answer))
    return answer
  }

const callingWith =
  (send: World['send']): World['call'] =>
  async (method, username, params = {}) => {
    const body = signedForm(method, { ...(username !== undefined && { u: username }), ...params })
    return bodyOf(await send(method, { body }))
  }

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
