import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { noted, notedLine, noteSecretsOfAnswer } from '#test/evidence/log-evidence.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { dataFolder, demoDataset } from '#tools/machine/data-folder.ts'
import { createTable, freePort } from '#tools/server/engine.ts'
import type { Gateway } from '#tools/server/gateway.ts'
import { serveSource } from '#tools/server/source-gateway.ts'

/** The documented methods with their aliases, and the additions `login` and `credit_notes` (wire.md 1.1). */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  user_login: ['login'],
  user_logout: ['logout'],
  users_get: [],
  payment_create: ['create_payment'],
  devices_get: ['device_list'],
  device_details_get: [],
  device_create: [],
  device_update: [],
  device_delete: ['device_destroy'],
  device_rules_get: [],
  device_rule_create: [],
  device_rule_delete: [],
  rate_get: ['rate'],
  tariff_rates_get: ['get_tariff'],
  exchange_rate_update: [],
  location_rule_get: [],
  location_rules_get: [],
  location_rule_create: [],
  location_rule_update: [],
  location_rule_delete: [],
  location_rule_copy: [],
  quickstats_get: [],
  active_calls_get: [],
  user_calls_get: ['user_calls'],
  local_calls_get: [],
  queue_log_get: [],
  credit_notes_get: ['credit_notes'],
  payments_get: ['payments_list'],
  services_get: [],
  subscriptions_get: [],
  financial_statements_get: ['financial_statements'],
  invoices_get: ['invoices'],
}

const files = await loadFunctionFiles()

let gateway: Gateway
let store: Store

/** Keeps the functions' log off standard output, where Vitest reports its results. */
const { write } = process.stdout
Object.assign(process.stdout, {
  write: (line: unknown) => {
    notedLine(String(line))
    return true
  },
})

/** A server with the demo data, as `npm start` runs it. */
beforeAll(async () => {
  const location = { tableName: `aliases-${randomUUID()}`, endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  // Calls are many. The demo has no file of charges, which are made from subscriptions, and none of callers.
  for (const name of fileNames)
    if (!['calls', 'charges', 'origins', 'npas'].includes(name)) await importDemo(name)
  // Before any request: a function remembers settings for a second.
  await store.update(settingsKey, { set: { Allow_GET_API: '1' } })
  gateway = await serveSource({
    port: await freePort(),
    folder: `${dataFolder}/${location.tableName}`,
    environment: { TABLE_NAME: location.tableName, DYNAMODB_ENDPOINT: location.endpoint },
    print: () => {},
  })
})

afterAll(async () => {
  await gateway.stop()
  Object.assign(process.stdout, { write })
})

/** Everything but the calls, of which there are many. */
const importDemo = (file: FileName) =>
  importPath({ store, clock: () => new Date() }, `${demoDataset}/${file}.csv`)

/** Restores what the example of a method that writes has deleted. */
const restore = async (name: string) => {
  if (files.some(({ method }) => method.name === name && method.access === 'write'))
    await importDemo('devices')
}

test('every documented method exists under its aliases', () => {
  const methods = files.map(({ method: { name, aliases = [] } }) => [name, aliases])

  expect(Object.fromEntries(methods)).toMatchObject(SPECIFIED)
})

type Form = Readonly<Record<string, string>>

const asJson = (params: Form): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(params),
  headers: { 'Content-Type': 'application/json' },
})

/** The ways in which a client sends parameters: what is added to the URL, and the rest of the request. */
const WAYS: Readonly<Record<string, (params: Form) => readonly [string, RequestInit]>> = {
  form: (params) => ['', { method: 'POST', body: new URLSearchParams(params) }],
  JSON: (params) => ['', asJson(params)],
  GET: (params) => [`?${new URLSearchParams(params)}`, {}],
}

/** Sends the example of a method to one of its names. Returns the whole answer: status, headers and bytes. */
async function answerOf(name: string, called: string, way = 'form') {
  const method = files.find((file) => file.method.name === name)?.method
  if (!method) throw new Error(`There is no method ${name}`)
  const params = signedParameters(method, exampleOf(name), demoKey())
  noted({ ...params, API_Secret_Key: demoKey() })
  const [query, request] = WAYS[way]?.(params) ?? []
  const answer = await fetch(`${gateway.url}/api/${called}${query}`, request)
  const { date: _date, ...headers } = Object.fromEntries(answer.headers)
  const body = await answer.text()
  noteSecretsOfAnswer(body)
  return { status: answer.status, headers, body }
}

const XML = /^<\?xml version="1.0" encoding="UTF-8"\?><(page|Invoices|action)/

/** The answer of a method in plain text: a balance. */
const PLAIN = /^-?\d+\.\d+$/

test.each(files.map(({ method }) => [method.name, method.envelope]))(
  '%s answers its example under its own name',
  async (name, envelope) => {
    const { status, body } = await answerOf(name, name)

    expect(status).toBe(200)
    expect(body).toMatch(envelope === 'plain' ? PLAIN : XML)
    expect(body).not.toContain('<error>')
  },
)

const aliases = files.flatMap(({ method: { name, aliases: others = [] } }) =>
  others.map((alias) => [alias, name]),
)

test.each(aliases)('%s answers byte for byte what %s answers', async (alias = '', name = '') => {
  await restore(name)
  const expected = await answerOf(name, name)
  await restore(name)

  expect(await answerOf(name, alias)).toEqual(expected)
})

const reads = files.flatMap(({ method: { name, access, postOnly } }) =>
  access === 'read' && !postOnly ? ['GET', 'JSON'].map((way) => [name, way] as const) : [],
)

test.each(reads)('%s answers %s as it answers a form', async (name, way) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())

  expect(await answerOf(name, name, way)).toEqual(await answerOf(name, name))
})
