import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { VERSION_HEADER } from '#lib/api/headers.ts'
import { refusalDocument } from '#lib/api/response.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { RELEASE } from '#lib/table/table-format.ts'
import { startDemo } from '#test/console/demo-server.ts'
import { type Arrived, aServer } from '#test/server.ts'
import { aWorld } from '#test/world.ts'
import { demoKey } from '../../contracts/generated-files.ts'
import { root } from '../../machine/program.ts'
import { createTable } from '../../server/engine.ts'
import type { Gateway } from '../../server/gateway.ts'

/** The functions log to standard output, where the results of tests are read. */
const { write } = process.stdout
let demo: Gateway
beforeAll(async () => {
  Object.assign(process.stdout, { write: () => true })
  demo = await startDemo(inject('endpoint'))
})
afterAll(async () => {
  await demo.stop()
  Object.assign(process.stdout, { write })
})

const smoke = (url: string, ...options: string[]) => run({ TOLLGATE_KEY: demoKey() }, url, ...options)

async function run(environment: NodeJS.ProcessEnv, ...words: string[]) {
  const command = [`${root}tools/bin/tollgate.js`, 'smoke', ...words]
  const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...environment } })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { status: child.exitCode, failed: output.match(/^FAILED .*$/gm) ?? [], output, errors }
}

/** The demo behind a server that gives its own answer to some requests. */
const spoiled = (answerOf: (request: Arrived) => Response | undefined) =>
  aServer(async (request, response) => {
    const { path, method, headers, body } = request
    const type = headers['content-type'] ?? ''
    const init = { method, headers: { 'content-type': type }, ...(body && { body }) }
    const answer = answerOf(request) ?? (await fetch(demo.url + path, init))
    const { status, headers: sent } = answer
    const names = ['content-type', VERSION_HEADER].filter((name) => sent.has(name))
    response
      .writeHead(status, Object.fromEntries(names.map((name) => [name, sent.get(name) ?? ''])))
      .end(await answer.text())
  })

const internalError = () =>
  new Response(refusalDocument('internal'), {
    status: 500,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
  })

const isSigned = ({ body }: Arrived) => body.includes('hash=')

test('an installation that serves the demo passes, and tells its version', async () => {
  const { status, output, failed } = await smoke(demo.url, '--demo')

  expect({ status, failed }).toEqual({ status: 0, failed: [] })
  expect(output).toMatch(new RegExp(`All \\d+ calls passed, answered by Tollgate ${RELEASE}\\.`))
  expect(output).not.toContain(demoKey())
})

test('an installation whose methods answer 500 behind the signature fails', async () => {
  const { origin } = await spoiled((request) => (isSigned(request) ? internalError() : undefined))

  const { status, failed, errors } = await smoke(origin)

  expect(status).toBe(1)
  expect(failed).toContain('FAILED  devices_get, signed: answers 500 instead of 200')
  expect(errors).toMatch(/^[1-9]\d* of \d+ calls failed: see above\n$/)
})

test('an installation of another version fails', async () => {
  const other = { [VERSION_HEADER]: '0.9.0', 'content-type': 'text/xml; charset=utf-8' }
  const { origin } = await spoiled((request) =>
    isSigned(request) ? new Response('<page/>', { headers: other }) : undefined,
  )

  const { status, failed } = await smoke(origin)

  expect(status).toBe(1)
  expect(failed).toContain(`FAILED  devices_get, signed: is Tollgate 0.9.0, and this checkout is ${RELEASE}`)
})

test('a caller whom no method admits has read nothing', async () => {
  const { status, errors } = await smoke(demo.url, '--as', 'nobody')

  expect({ status, errors }).toEqual({
    status: 1,
    errors: 'No method admits nobody, so none read anything: name an active account with --as\n',
  })
})

test('the key is that of the table, and a table without one is named', async () => {
  const endpoint = inject('endpoint')
  const { table } = await aWorld({}, { API_Secret_Key: demoKey() })
  const empty = `smoke-${randomUUID()}`
  await createTable(createClient({ tableName: empty, endpoint }), empty)

  const [without, read] = await Promise.all(
    [empty, table.tableName].map((name) =>
      run({ TOLLGATE_KEY: '' }, demo.url, '--table', name, '--endpoint', endpoint),
    ),
  )

  expect(without).toMatchObject({
    status: 0,
    errors: `Nothing is read: in ${empty}, API_Secret_Key is not set.\n`,
    output: expect.stringMatching(/All \d+ calls passed\.\n$/),
  })
  expect(read?.output).toContain(`answered by Tollgate ${RELEASE}`)
  expect(JSON.stringify(read)).not.toContain(demoKey())
})
