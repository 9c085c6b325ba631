import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serve } from '#lib/api/stack/stack.ts'
import { exampleDevices, people, withCheapHash } from '#test/examples/examples.ts'
import { exampleTariffs } from '#test/examples/tariffs.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { routesOf } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/program.ts'
import { freePort } from '#tools/server/engine.ts'
import { type Gateway, startGateway } from '#tools/server/gateway.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)

/** The parameters of a request, and those that the program signs, in its order. */
interface ProgramRequest {
  /** The verb, and where the parameters are. `unencoded` is a form whose values are only joined by `&`. */
  readonly by: 'GET query' | 'POST query' | 'POST form' | 'POST unencoded'
  readonly sent: Readonly<Record<string, string>>
  /** Without it the program sends no hash, or the one in `sent`. */
  readonly signs?: readonly string[]
  /** Returns what the program takes from the answer; `undefined` if it finds nothing. */
  readonly read: (document: string) => string | undefined
  readonly finds: string
}

/** As a program reads that turns XML into objects and follows a path of names. */
const textAt =
  (...names: readonly string[]) =>
  (document: string): string | undefined => {
    const opened = names.map((name) => `<${name}(?: [^>]*)?>`).join('(?:<[^>]*>[^<]*</[^>]*>)*')
    return new RegExp(`^<\\?xml[^>]*>${opened}([^<]*)`).exec(document)?.[1]
  }

/** As a program reads that looks for a block with the exact name of a user. */
const idOfUser =
  (username: string) =>
  (document: string): string | undefined =>
    document
      .split('<user>')
      .find((block) => block.includes(`<username>${username}</username>`))
      ?.match(/<id>(\d+)<\/id>/)?.[1]

/** The fields of a registration that programs fill in, for a name of their own. */
const person = (username: string): Readonly<Record<string, string>> => ({
  username,
  password: `password of ${username}`,
  password2: `password of ${username}`,
  first_name: 'Jane',
  last_name: 'Doe',
  email: `${username}@example.com`,
  device_type: 'SIP',
})

const SIX_VALUES = ['email', 'id', 'device_type', 'username', 'first_name', 'last_name']

const NO_BALANCE = '0.0000'

const registered = { read: textAt('page', 'status'), finds: 'Registration successful' }
const personalDetails = { read: textAt('page', 'pagename'), finds: 'Personal_details' }
const loggedOut = { read: textAt('action', 'status'), finds: 'ok' }
const balance = { read: textAt('page', 'balance'), finds: NO_BALANCE }
/** The program shows the whole answer. */
const plainBalance = { read: (document: string) => document.trim(), finds: NO_BALANCE }

/** The request of each program to each method that it calls. The outcomes are in docs/moving-in.md. */
const REQUESTS: Readonly<Record<string, ProgramRequest>> = {
  'C1 user_register': {
    by: 'POST query',
    sent: { id: 'hash-of-admin', ...person('c1'), country_id: '10', currency: 'USD' },
    ...registered,
  },
  'C1 user_details_get': {
    by: 'POST query',
    sent: { u: 'bob', user_id: '10' },
    ...personalDetails,
  },
  'C2 user_logout': {
    by: 'GET query',
    sent: { u: 'bob' },
    signs: [],
    ...loggedOut,
  },
  'C2 payment_create': {
    by: 'POST query',
    sent: { u: 'admin', user_id: '10', p_currency: 'USD', amount: '12.5' },
    signs: ['user_id', 'p_currency', 'amount'],
    read: textAt('page', 'response', 'status'),
    finds: 'ok',
  },
  'C2 user_balance_get': {
    by: 'POST query',
    sent: { u: 'admin', username: 'carol' },
    signs: ['username'],
    ...balance,
  },
  'C2 user_details_get': {
    by: 'POST query',
    sent: { user_id: '20' },
    signs: ['user_id'],
    ...personalDetails,
  },
  'C3 user_register': {
    by: 'POST form',
    sent: { id: 'hash-of-admin', ...person('c3'), country_id: '10' },
    ...registered,
  },
  'C3 user_balance_get': {
    by: 'GET query',
    sent: { u: 'admin', username: 'carol', hash: '0'.repeat(40) },
    read: (document) => /<page>.*?<balance>([^<]*)/.exec(document)?.[1],
    finds: NO_BALANCE,
  },
  'C3 user_details_get': {
    by: 'POST form',
    sent: { u: 'admin', username: 'carol' },
    ...personalDetails,
  },
  'C4 user_register': {
    by: 'POST form',
    sent: { id: 'hash-of-admin', email: 'c4@example.com' },
    signs: ['email', 'id'],
    ...registered,
  },
  'C4 user_balance_get_by_username': {
    by: 'GET query',
    sent: { id: '2001', currency: 'USER' },
    ...plainBalance,
  },
  'C6 user_register': {
    by: 'POST query',
    sent: { id: 'hash-of-admin', ...person('c6'), country_id: '10', API_Secret_Key: 'sent-by-mistake' },
    signs: SIX_VALUES,
    ...registered,
  },
  'C7 user_logout': {
    by: 'POST unencoded',
    sent: { u: 'bob', p: 'pass word/of:bob' },
    ...loggedOut,
  },
  'C7 user_register': {
    by: 'POST unencoded',
    sent: {
      id: 'd41d8cd98f00b204e9800998ecf8427e',
      username: 'c7',
      password: 'password of c7',
      password2: 'password of c7',
      email: 'c7@example.com',
    },
    ...registered,
  },
  'C7 user_balance_get': {
    by: 'POST unencoded',
    sent: { username: 'carol' },
    ...balance,
  },
  'C10 user_simple_balance_get': {
    by: 'GET query',
    sent: {},
    ...plainBalance,
  },
  'C11 users_get': {
    by: 'GET query',
    sent: { u: 'admin', p: 'password of admin', hash: 'hash-of-admin' },
    read: idOfUser('carol'),
    finds: '20',
  },
  'C11 user_register': {
    by: 'POST form',
    sent: {
      u: 'admin',
      p: 'password of admin',
      owner_id: '0',
      id: 'hash-of-admin',
      ...person('c11'),
      country_id: '80',
      hash: 'hash-of-admin',
    },
    read: (document) => /<user_id>\d+</.exec(document)?.[0].replace(/\d+/, 'N'),
    finds: '<user_id>N<',
  },
  'C11 user_details_update': {
    by: 'GET query',
    sent: { u: 'admin', p: 'password of admin', user_id: '10', first_name: 'Jane', last_name: 'Doe' },
    signs: ['user_id'],
    read: (document) => (document.includes('<error>') ? undefined : 'no error'),
    finds: 'no error',
  },
}

const aWorldOfPrograms = (API_Disable_hash_checking: string) =>
  aWorld(
    {
      users: people.map((person) => ({ ...withCheapHash(person), uniquehash: `hash-of-${person.username}` })),
      tariffs: exampleTariffs.slice(0, 1),
      devices: exampleDevices,
    },
    {
      Allow_GET_API: '1',
      API_allow_Payments: '1',
      API_allow_Registration: '1',
      Default_User_Tariff: '1',
      Devices_Check_Balance: '1',
      Balances_Without_Signature: '1',
      Balance_From: '2026-03-01',
      API_Disable_hash_checking,
    },
  )

const serveOver = async ({ services }: World): Promise<Gateway> =>
  startGateway({ port: await freePort() }, () =>
    methods.flatMap((method) => routesOf(method).map((path) => ({ path, handler: serve(method, services) }))),
  )

/** A path that names no method is the only one with another status than 200. */
const statusOf = (path: string): number => (path.endsWith('.php') ? 404 : 200)

const SERVED = 'served'

/** A page's row: a program's call, and its outcome with and without checks of hashes. */
interface ProgramCall {
  readonly call: string
  readonly method: string
  /** The path that the program has compiled in. */
  readonly path: string
  readonly checked: string
  readonly unchecked: string
}

const ROW = /^\| (?<program>C\d+) \| `(?<path>[^`]+)` \| (?<checked>.*) \| (?<unchecked>.*) \|$/gm

/** The method that a path names, by its name or an alias. */
function methodAt(path: string): string {
  const name = /api\/(\w+)/.exec(path)?.[1] ?? ''
  return methods.find(({ aliases }) => aliases?.includes(name))?.name ?? name
}

const rows = [...readFileSync(`${root}docs/moving-in.md`, 'utf8').matchAll(ROW)].map(({ groups }) => {
  const { program = '', path = '', checked = '', unchecked = '' } = groups ?? {}
  const method = methodAt(path)
  return { call: `${program} ${method}`, method, path, checked, unchecked }
})

/** Sends a request as the program does, and returns what it finds, or the error. */
async function outcomeOf({ call, path }: ProgramCall, gateway: Gateway): Promise<string> {
  const request = REQUESTS[call]
  if (!request) throw new Error(`There is no request of ${call}`)
  const { by, sent, signs, read, finds } = request
  const [verb = '', way] = by.split(' ')
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

const built = new Set(methods.map(({ name }) => name))

test.each([
  ['on', '0', 'checked'],
  ['off', '1', 'unchecked'],
] as const)(
  'with hash checking %s the programs find what the table of docs/moving-in.md says',
  async (_state, setting, column) => {
    const gateway = await serveOver(await aWorldOfPrograms(setting))

    const outcomes: string[][] = []
    for (const row of rows) {
      const outcome = built.has(row.method) ? await outcomeOf(row, gateway) : 'the method does not exist yet'
      outcomes.push([row.call, outcome])
    }
    await gateway.stop()

    expect(outcomes).toEqual(rows.map((row) => [row.call, row[column]]))
  },
)

test('every call of the table to a method that exists has a request, and every request has its call', () => {
  const calls = rows.filter(({ method }) => built.has(method)).map(({ call }) => call)

  expect(calls).toEqual(Object.keys(REQUESTS))
})
