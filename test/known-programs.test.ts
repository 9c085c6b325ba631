import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serve } from '#lib/api/stack/stack.ts'
import { devices, people, withCheapHash } from '#test/examples/examples.ts'
import { programCalls } from '#test/examples/known-programs.ts'
import { type ProgramCall, SERVED } from '#test/examples/program-calls.ts'
import { tariffs } from '#test/examples/tariffs.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { routesOf } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/location.ts'
import { freePort } from '#tools/server/engine.ts'
import { type Gateway, startGateway } from '#tools/server/gateway.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)

const aWorldOfPrograms = (API_Disable_hash_checking: string) =>
  aWorld(
    {
      users: people.map((person) => ({ ...withCheapHash(person), uniquehash: `hash-of-${person.username}` })),
      tariffs: tariffs.slice(0, 1),
      devices,
    },
    {
      Allow_GET_API: '1',
      API_allow_Payments: '1',
      API_allow_Registration: '1',
      Default_User_Tariff: '1',
      Devices_Check_Balance: '1',
      Balance_From: '2026-03-01',
      API_Disable_hash_checking,
    },
  )

const serveOver = async ({ services }: World): Promise<Gateway> =>
  startGateway(await freePort(), () =>
    methods.flatMap((method) => routesOf(method).map((path) => ({ path, handler: serve(method, services) }))),
  )

/** A path that names no method is the only one with another status than 200. */
const statusOf = (path: string): number => (path.endsWith('.php') ? 404 : 200)

/** Sends a request as the program does, and returns what it finds, or the error. */
async function outcomeOf({ path, request }: ProgramCall, gateway: Gateway): Promise<string> {
  if (!request) throw new Error(`There is no request to ${path}`)
  const { verb, way, sent, signs, read, finds } = request
  const signed = signs && `${signs.map((name) => sent[name] ?? '').join('')}${SECRET_KEY}`
  const hash = signed === undefined ? {} : { hash: createHash('sha1').update(signed).digest('hex') }
  const all = { ...sent, ...hash }
  const encoded = new URLSearchParams(all).toString()
  const joined = Object.entries(all)
    .map((pair) => pair.join('='))
    .join('&')
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = await (way === 'query'
    ? fetch(`${gateway.url}${path}?${encoded}`, { method: verb })
    : fetch(gateway.url + path, { method: verb, headers, body: way === 'form' ? encoded : joined }))
  const document = await answer.text()
  expect(answer.status).toBe(statusOf(path))
  const refusal = /<error>(.*?)<\/error>/.exec(document)?.[1]
  return refusal ?? (read(document) === finds ? SERVED : document)
}

const requests = programCalls.filter(({ request }) => request)

test.each([
  ['on', '0', 'checked'],
  ['off', '1', 'unchecked'],
] as const)(
  'with hash checking %s the programs find what the table says',
  async (_state, setting, column) => {
    const gateway = await serveOver(await aWorldOfPrograms(setting))

    const outcomes: string[][] = []
    for (const call of requests) outcomes.push([call.program, call.method, await outcomeOf(call, gateway)])
    await gateway.stop()

    expect(outcomes).toEqual(requests.map((call) => [call.program, call.method, call[column]]))
  },
)

test('the calls without a request are those of methods that do not exist', () => {
  const built = new Set(methods.map(({ name }) => name))

  expect(programCalls.filter(({ method, request }) => built.has(method) !== (request !== undefined))).toEqual(
    [],
  )
})

test('docs/known-programs.md has the table', () => {
  const rows = programCalls.map(
    ({ program, method, path, checked, unchecked }) =>
      `| ${program} | ${method} | \`${path}\` | ${checked} | ${unchecked} |`,
  )
  const page = readFileSync(`${root}docs/known-programs.md`, 'utf8')

  expect(page.match(/^\| C\d+ \| \w+ \| `.*$/gm)).toEqual(rows)
})
