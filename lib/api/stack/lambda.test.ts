import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { defineMethod } from '#lib/api/method.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { aContext, anEvent } from '#test/event.ts'
import { notedLine } from '#test/evidence/log-evidence.ts'
import { createTable } from '#tools/server/engine.ts'
import { chooseTransport, lambda } from './lambda.ts'

const hello = defineMethod(
  {
    name: 'hello_get',
    summary: 'Says hello.',
    callers: 'public',
    params: {},
    hashOrders: [],
    errors: {},
    envelope: 'page',
    access: 'read',
  },
  async () => 'hello',
)

function aLambda(environment: Readonly<Record<string, string>>) {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'hello_get')
  vi.stubEnv('IS_OFFLINE', undefined)
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('endpoint'))
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return lambda(hello)
}

test('a table that is unreadable while the Lambda initialises fails the call, not the Lambda', async () => {
  const handler = aLambda({ TABLE_NAME: 'no-such-table' })

  expect(await handler(anEvent({ body: '' }), aContext())).toMatchObject({ statusCode: 500 })
})

/** A table with settings. `lines` returns what was logged. */
async function anInstallation(settings: Readonly<Record<string, string>> = {}) {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(notedLine(String(line))) > 0)
  const tableName = `lambda-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  await store.update(settingsKey, { set: { Allow_API: '1', ...settings } })
  return {
    tableName,
    lines: () => lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
  }
}

test.each([
  ['1', ['API_Disable_hash_checking is on: anyone who knows a username can call on its behalf']],
  ['0', []],
])('a Lambda that starts with API_Disable_hash_checking %s logs the warning', async (value, warnings) => {
  const { lines, tableName } = await anInstallation({ API_Disable_hash_checking: value })

  await aLambda({ TABLE_NAME: tableName })(anEvent({ body: '' }), aContext())

  const logged = lines()
  expect(logged.flatMap(({ warning }) => warning ?? [])).toEqual(warnings)
  expect(logged.at(-1)).toMatchObject({ method: 'hello_get', outcome: 'answered' })
})

test('a Lambda that starts over a table that it cannot read logs both versions and the remedy', async () => {
  const { lines, tableName } = await anInstallation({ table_format: '99', table_release: '9.1.0' })

  await aLambda({ TABLE_NAME: tableName })(anEvent({ body: '' }), aContext())

  const warnings = lines().flatMap(({ warning }) => warning ?? [])
  expect(warnings).toEqual([expect.stringMatching(/format 99, written by Tollgate 9.1.0,.*newer one$/)])
})

test.each([
  ['a Lambda remembers the settings from its start', {}, [1, 1]],
  ['a local server remembers them from its first call', { IS_OFFLINE: 'true' }, [2, 1]],
])('%s', async (_where, environment, units) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { lines, tableName } = await anInstallation()
  const handler = aLambda({ TABLE_NAME: tableName, ...environment })

  for (const _call of units) await handler(anEvent({ body: '' }), aContext())

  expect(lines().flatMap(({ read_units }) => read_units ?? [])).toEqual(units)
})

test.each([
  ['a runtime with response streaming', { streamifyResponse: () => undefined }, true],
  ['a process with AWS packages', {}, false],
  ['any other process', undefined, false],
])('in %s, a method that streams does so: %s', (_case, awslambda, streams) => {
  vi.stubEnv('IS_OFFLINE', undefined)
  vi.stubGlobal('awslambda', awslambda)

  expect(chooseTransport({ streams: true }).streams).toBe(streams)
})

test('the local server streams the same methods, with the limits of AWS', () => {
  vi.stubEnv('IS_OFFLINE', 'true')

  expect(chooseTransport({ streams: true })).toEqual({
    streams: true,
    maxBytes: 200_000_000,
    unwrapped: true,
  })
  expect(chooseTransport({})).toEqual({ streams: false, maxBytes: 4_400_000 })
})

test('a method that does not stream has a whole answer', () => {
  vi.stubEnv('IS_OFFLINE', undefined)
  vi.stubGlobal('awslambda', { streamifyResponse: () => undefined })

  expect(chooseTransport({}).streams).toBe(false)
})
