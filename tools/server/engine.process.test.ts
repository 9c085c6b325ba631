import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test, vi } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { accessKeyIn, withoutKey } from '#lib/table/table.ts'
import { root } from '#tools/machine/program.ts'
import { startEngine } from './engine.ts'

test('a binary that cannot run is reported in one sentence', async () => {
  vi.stubEnv('DYNOXIDE_BINARY', `${root}package.json`)

  await expect(startEngine()).rejects.toThrow(/^The embedded DynamoDB did not start: spawn /)
})

const { endpoint, stop: stopEngine } = await startEngine()
afterAll(stopEngine)

const key = accessKeyIn(endpoint)

const signedBy = (accessKey: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20260310/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  'x-amz-date': '20260310T120000Z',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'content-type': 'application/x-amz-json-1.0',
})

/** The status and the body of a request that lists the tables. */
async function answerTo(method: string, headers: Readonly<Record<string, string>>) {
  const sent = request(withoutKey(endpoint), { method, headers, agent: false }).end(
    method === 'POST' ? '{}' : '',
  )
  const [response] = await once(sent, 'response')
  const body = String(Buffer.concat(await response.toArray()))
  return { status: response.statusCode, headers: response.headers, body }
}

test('the key of the start lists the tables', async () => {
  expect(key).toMatch(/^[0-9a-f]{32}$/)
  expect(await answerTo('POST', signedBy(key))).toMatchObject({ status: 200 })
  const { TableNames } = await createClient({ tableName: '', endpoint }).send(new ListTablesCommand({}))
  expect(Array.isArray(TableNames)).toBe(true)
})

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['no signature', 'GET', {}],
  ['another key', 'POST', signedBy('local')],
  ['the beginning of the key', 'POST', signedBy(key.slice(0, -1))],
  ['a blank key', 'POST', signedBy('')],
  ['the key and an origin', 'POST', { ...signedBy(key), Origin: 'http://localhost:3000' }],
  ['a question about origins', 'OPTIONS', { ...signedBy(key), Origin: 'https://example.com' }],
])('a client with %s is refused before the engine', async (_what, method, headers) => {
  const { status, headers: answered, body } = await answerTo(method, headers)

  expect(status).toBe(400)
  expect(body).toContain('UnrecognizedClientException')
  expect(body).not.toContain('TableNames')
  expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('a connection without the end of a head is not passed on', async () => {
  const socket = connect({ port: Number(new URL(endpoint).port), host: '127.0.0.1' })
  socket.write(`POST / HTTP/1.1\r\nx-long: ${'x'.repeat(20_000)}`)

  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('UnrecognizedClientException')
})

test('other clients get the refusal of an unknown access key', async () => {
  const stranger = createClient({ tableName: '', endpoint: withoutKey(endpoint) })

  await expect(stranger.send(new ListTablesCommand({}))).rejects.toThrow(
    expect.objectContaining({ name: 'UnrecognizedClientException' }),
  )
})

/** Whether this machine lets its users make a network of their own. */
function hasOwnNetworks(): boolean {
  try {
    execFileSync('unshare', [process.getuid?.() === 0 ? '-n' : '-rn', 'ip', 'link', 'set', 'lo', 'up'])
    return true
  } catch {
    return false
  }
}

test.runIf(hasOwnNetworks())('the engine listens in a network of its own', async () => {
  const { pids, stop } = await startEngine()
  const networks = [process.pid, ...pids].map((pid) => readlinkSync(`/proc/${pid}/ns/net`))
  await stop()

  expect(networks).toHaveLength(3)
  expect(networks[1]).not.toBe(networks[0])
  expect(networks[2]).toBe(networks[1])
})

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the engine ends with its gate', async () => {
  const { process: gate, pids, stop } = await startEngine()
  await stop()

  expect(gate.exitCode).toBe(0)
  expect(isRunning(pids[1] ?? 0)).toBe(false)
})

test.runIf(process.platform !== 'win32')('the engine ends when its gate is killed', async () => {
  const { process: gate, pids } = await startEngine()
  gate.kill('SIGKILL')

  await expect.poll(() => isRunning(pids[1] ?? 0), { timeout: 10_000 }).toBe(false)
})
