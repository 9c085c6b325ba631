import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { CommandError } from '../../machine/terminal.ts'
import { createTable, freePort } from '../../server/engine.ts'
import {
  answeringUrl,
  findKey,
  ignoredParameters,
  isRefusedAnswer,
  methodUrl,
  otherKeyNotice,
  valuesNotRead,
} from './method-call.ts'

test.each([
  ['http://localhost:3000', 'http://localhost:3000/api/devices_get'],
  ['localhost:3000/', 'http://localhost:3000/api/devices_get'],
  ['127.0.0.1:3000/api', 'http://127.0.0.1:3000/api/devices_get'],
  ['[::1]:3000/api/', 'http://[::1]:3000/api/devices_get'],
  ['api.example.org/prod/api', 'https://api.example.org/prod/api/devices_get'],
  ['localhost.example.org', 'https://localhost.example.org/api/devices_get'],
  ['http://api.example.org', 'http://api.example.org/api/devices_get'],
])('%s is where %s is', (address, url) => {
  expect(methodUrl(address, 'devices_get')).toBe(url)
})

test.each(['', 'two words', 'http://', 'ftp://example.org'])('%j is not an address', (address) => {
  expect(() => methodUrl(address, 'devices_get')).toThrow(CommandError)
})

test('an address where nothing answers is named by its origin', async () => {
  const port = await freePort()

  await expect(answeringUrl(`localhost:${port}/api/`)).rejects.toThrow(
    new CommandError(`No answer from http://localhost:${port}: check the URL`),
  )
})

test('the key of an address where nothing answers is not asked for: the address is named', async () => {
  vi.stubEnv('TOLLGATE_KEY', undefined)
  const { method } = await findFunctionFile('devices_get')
  const url = `http://localhost:${await freePort()}`

  await expect(findKey(method, undefined, { url, location: undefined })).rejects.toThrow(
    `No answer from ${url}: check the URL`,
  )
})

test('a key other than that of the installation is named as the cause', async () => {
  const location = { tableName: 'table-with-a-key', endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await importRows({ store, clock: () => new Date('2026-03-10T12:00:00Z') }, everything)
  const target = { url: 'http://localhost:3000', location }
  const key = await findKey((await findFunctionFile('devices_get')).method, undefined, target)

  expect(await otherKeyNotice(key, target)).toBeUndefined()
  expect(await otherKeyNotice('another', target)).toBe(
    'This key is not the key of http://localhost:3000, which refuses the hash: leave out --key and TOLLGATE_KEY',
  )
  expect(await otherKeyNotice('another', { ...target, location: undefined })).toBeUndefined()
})

test.each([
  ['<page><error>Dont_be_so_smart</error></page>', true],
  [
    '<?xml version="1.0" encoding="UTF-8"?><page><status><status><error>x</error></status></status></page>',
    true,
  ],
  ['<page><action><name>login</name><status>failed</status></action></page>', true],
  ['<page><devices><device><error>no</error></device></devices></page>', false],
])('%s is a refusal: %s', (document, refused) => {
  expect([isRefusedAnswer(200, document), isRefusedAnswer(500, document)]).toEqual([refused, true])
})

const ELSEWHERE = { location: undefined }

test('a parameter that the method does not know is named with the nearest one', async () => {
  const { method } = await findFunctionFile('devices_get')

  expect(await ignoredParameters(method, { u: 'admin', user_id: '1', hash: '' }, ELSEWHERE)).toEqual([])
  expect(await ignoredParameters(method, { userid: '1' }, ELSEWHERE)).toEqual([
    'devices_get ignores the parameter userid: did you mean user_id?',
  ])
})

test('a date where a timestamp is expected is named with the timestamp', async () => {
  const { method } = await findFunctionFile('payments_get')

  expect(await ignoredParameters(method, { s_from: '2026-10-01', s_till: '1790899199' }, ELSEWHERE)).toEqual([
    'payments_get does not read s_from=2026-10-01: an ISO date; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)',
  ])
})

test('a call whose values are all read asks the table nothing', async () => {
  const { method } = await findFunctionFile('user_calls_get')
  let requests = 0
  const table = createServer((_request, response) => {
    requests += 1
    response.writeHead(400).end('{}')
  })
  await once(table.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void table.close())
  const endpoint = `http://127.0.0.1:${(table.address() as AddressInfo).port}`
  const target = { location: { endpoint, tableName: 'tollgate' } }

  expect(await valuesNotRead(method, { period_start: '1790812800' }, target)).toEqual([])
  expect(requests).toBe(0)
  expect(await valuesNotRead(method, { period_start: 'yesterday' }, target)).toHaveLength(1)
  expect(requests).toBe(1)
})
