import { expect, test } from 'vitest'
import type { Caller } from '#lib/accounts/account.ts'
import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import { accountIn } from '#lib/api/loads.ts'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import { readFresh, rememberingReader } from '#lib/settings/recent-items.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { callerKey } from '#lib/table/keys.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { element } from '#lib/xml/element.ts'
import { people } from '#test/examples/examples.ts'
import { passThrough } from '#test/middleware.ts'
import { aWorld } from '#test/world.ts'
import {
  admitCaller,
  envelope,
  gates,
  rawParameters,
  settingsAndCaller,
  typedParameters,
  verifyHash,
} from './steps.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

const middleware = envelope({ envelope: 'nestedStatus' }, { streams: false, maxBytes: 1000 })

const answerTo = async (run: () => ReturnType<typeof element>) =>
  (await passThrough(middleware, { run })).answer

const failing = (error: Error) => () => {
  throw error
}

test('content becomes a document', async () => {
  expect(await answerTo(() => element('a', 'b'))).toMatchObject({
    statusCode: 200,
    body: `${DECLARATION}<page><a>b</a></page>`,
  })
})

test.each<[string, Error, number, string]>([
  [
    'a refusal of the method has its shape',
    new ApiError('No', 'method'),
    200,
    '<status><status><error>No</error></status></status>',
  ],
  [
    'one of a gate has the shape of all gates',
    gateRefusal('incorrect_hash'),
    200,
    '<status><error>Incorrect hash</error></status>',
  ],
  [
    'one of HTTP brings its status',
    httpRefusal('too_large'),
    413,
    '<status><error>Request is too large</error></status>',
  ],
  [
    'a bug is told in general words',
    new Error('secret'),
    500,
    '<status><error>Internal error</error></status>',
  ],
])('%s', async (_what, error, statusCode, inner) => {
  expect(await answerTo(failing(error))).toMatchObject({
    statusCode,
    body: `${DECLARATION}<page>${inner}</page>`,
  })
})

test("an answer that the transport cannot carry is refused in the method's shape", async () => {
  const { body } = await answerTo(() => element('a', 'x'.repeat(1001)))

  expect(body).toContain('<status><status><error>The answer is too large')
})

test('the parameters are read, and the body overrides the query string', async () => {
  const request = { query: [['u', 'bob'] as const, ['n', '1'] as const], body: 'n=2' }

  const { requestState } = await passThrough(rawParameters({}), { request })

  expect({ ...requestState.raw }).toEqual({ u: 'bob', n: '2' })
})

test('an unreadable request is refused', async () => {
  const request = { body: '[1', headers: { 'content-type': 'application/json' } }

  await expect(passThrough(rawParameters({}), { request })).rejects.toMatchObject({ status: 400 })
})

test('declared parameters are read by their types, and others are ignored', async () => {
  const raw = { user_id: ' 7 ', undeclared: 'x' }

  const { requestState } = await passThrough(
    typedParameters({ params: { user_id: idParam, comment: textParam } }),
    {
      requestState: { raw },
    },
  )

  expect(requestState.params).toEqual({ user_id: 7, comment: undefined })
})

test('no type reads more than 4,000 characters, and what is cut is not a value of any type', async () => {
  const lengths: number[] = []
  const measuring = { read: (raw = '') => void lengths.push(raw.length) }
  const raw = { user_id: '0'.repeat(20_000), long: 'x'.repeat(1_000_000), short: 'x' }
  const params = { user_id: idParam, long: measuring, short: measuring }

  const { requestState } = await passThrough(typedParameters({ params }), { requestState: { raw } })

  expect(requestState.params?.['user_id']).toBe(NO_SUCH_ID)
  expect(lengths).toEqual([4001, 1])
})

const loads = { account: accountIn('user_id'), other: accountIn('other_id') }

test("the settings, the account in u and the contract's items are read in one round trip", async () => {
  const { store, meter } = await aWorld({ users: people })
  const before = meter.spent.roundTrips
  const raw = { u: 'rick', user_id: '20' }

  const { requestState } = await passThrough(
    settingsAndCaller({ loads, checksPassword: false }, { readItems: readFresh, clock: () => new Date(0) }),
    {
      requestState: { store, raw },
    },
  )

  expect(requestState.settings?.Allow_API).toBe(true)
  expect(requestState.namedAccount).toMatchObject({ id: 2, usertype: 'reseller' })
  expect(requestState.loaded).toEqual({ account: expect.objectContaining({ id: 20 }) })
  expect(meter.spent.roundTrips - before).toBe(1)
})

test('an account that a function remembers is read from its item once, and again from a later one', async () => {
  const world = await aWorld({ users: people })
  const readItems = rememberingReader(() => world.now)
  const step = settingsAndCaller({ checksPassword: false }, { readItems, clock: () => world.now })
  const { store } = world
  const named = async () =>
    (await passThrough(step, { requestState: { store, raw: { u: 'rick' } } })).requestState.namedAccount

  const first = await named()
  expect(await named()).toBe(first)
  await store.update(callerKey('rick'), { set: { first_name: 'Richard' } })
  world.now = new Date(world.now.getTime() + 1000)
  expect(await named()).toMatchObject({ id: 2, first_name: 'Richard' })
})

test('an account that two names refer to is found under both', async () => {
  const { store } = await aWorld({ users: people })
  const raw = { user_id: '20', other_id: '20' }

  const { requestState } = await passThrough(
    settingsAndCaller({ loads, checksPassword: false }, { readItems: readFresh, clock: () => new Date(0) }),
    {
      requestState: { store, raw },
    },
  )

  expect(requestState.loaded).toMatchObject({ account: { id: 20 }, other: { id: 20 } })
})

test('an unknown username is not an account', async () => {
  const { store } = await aWorld()

  const { requestState } = await passThrough(
    settingsAndCaller({ checksPassword: false }, { readItems: readFresh, clock: () => new Date(0) }),
    {
      requestState: { store, raw: { u: 'x' } },
    },
  )

  expect(requestState.namedAccount).toBeUndefined()
})

const open = { Allow_API: 'on', Allow_GET_API: 'on' }

const sendThroughGates = (
  method: string,
  settings: Readonly<Record<string, string>>,
  contract: { postOnly?: true } = {},
) => passThrough(gates(contract), { request: { method }, requestState: { settings: readSettings(settings) } })

test.each(['GET', 'POST'])('%s passes while both switches are on', async (method) => {
  expect((await sendThroughGates(method, open)).ran).toBe(true)
})

test.each<[string, string, Readonly<Record<string, string>>, string]>([
  ['any request while the API is off', 'POST', { ...open, Allow_API: 'off' }, 'API Requests are disabled'],
  ['a GET while both switches are off, by the API switch', 'GET', {}, 'API Requests are disabled'],
  ['GET while the GET switch is off', 'GET', { ...open, Allow_GET_API: 'off' }, 'GET Requests are disabled'],
  ['another verb', 'DELETE', open, 'Method not allowed'],
])('the gates refuse %s', async (_what, method, settings, message) => {
  await expect(sendThroughGates(method, settings)).rejects.toThrow(message)
})

test('a method that is POST only refuses GET whatever the switch says', async () => {
  await expect(sendThroughGates('GET', open, { postOnly: true })).rejects.toThrow('GET Requests are disabled')
})

const API_Secret_Key = 'a-key-of-tests'
const order = { signs: ['name'] } as const
const signedCallers = { allowed: ['user'], anonymous: 'Who are you' } as const

/** No request with a hash uses the table here. */
const table = { tableName: 'none', endpoint: 'http://127.0.0.1:9' }
const store = createStore({ ...table, client: createClient(table), meter: createMeter() })

const sendHash = (
  hash: string | undefined,
  {
    settings = {},
    isPublic = false,
  }: { settings?: Readonly<Record<string, string>>; isPublic?: boolean } = {},
) =>
  passThrough(
    verifyHash(
      { name: 'a_get', callers: isPublic ? 'public' : signedCallers, hashOrders: [order] },
      { clock: () => new Date() },
    ),
    {
      requestState: {
        raw: { name: 'x', ...(hash !== undefined && { hash }) },
        settings: readSettings({ API_Secret_Key, ...settings }),
        address: '192.0.2.1',
        store,
      },
    },
  )

const right = signatureOf({ name: 'x' }, order, API_Secret_Key)

test.each([right, right.toUpperCase(), ` ${right} `])('the right hash passes: %j', async (hash) => {
  expect((await sendHash(hash)).ran).toBe(true)
})

test.each([undefined, '', 'wrong', right.slice(1), `${right}0`])('the hash %j is refused', async (hash) => {
  await expect(sendHash(hash)).rejects.toThrow('Incorrect hash')
})

test.each(['', 'short'])('a key that is too short, such as %j, is refused', async (key) => {
  await expect(sendHash(right, { settings: { API_Secret_Key: key } })).rejects.toThrow(
    'API must have Secret Key',
  )
})

test('no hash is needed while hash checking is off, or for a public method', async () => {
  const settings = { API_Disable_hash_checking: 'on', API_Secret_Key: '' }

  expect((await sendHash('wrong', { settings })).ran).toBe(true)
  expect((await sendHash(undefined, { isPublic: true })).ran).toBe(true)
})

const callers = { allowed: ['admin', 'user'], anonymous: 'Who are you', others: 'Not you' } as const

const bob = { id: 10, usertype: 'user', blocked: false } as Caller

test('an account of an admitted type becomes the caller', async () => {
  const { requestState, ran } = await passThrough(admitCaller({ callers }), {
    requestState: { namedAccount: bob },
  })

  expect(requestState.caller).toBe(bob)
  expect(ran).toBe(true)
})

test.each<[string, Partial<Caller> | undefined, string]>([
  ['a missing account', undefined, 'Who are you'],
  ['a blocked account', { blocked: true }, 'Who are you'],
  ['a blocked account of a type that is not admitted', { blocked: true, usertype: 'partner' }, 'Who are you'],
  ['a type that is not admitted', { usertype: 'partner' }, 'Not you'],
])('%s is refused with the message of the contract', async (_who, change, words) => {
  const namedAccount = change && { ...bob, ...change }

  await expect(passThrough(admitCaller({ callers }), { requestState: { namedAccount } })).rejects.toThrow(
    words,
  )
})

test('without a message of their own, other account types get the anonymous one', async () => {
  const { others: _, ...without } = callers
  const namedAccount: Caller = { ...bob, usertype: 'reseller' }

  await expect(
    passThrough(admitCaller({ callers: without }), { requestState: { namedAccount } }),
  ).rejects.toThrow('Who are you')
})

test('a public method admits everybody', async () => {
  const { ran } = await passThrough(admitCaller({ callers: 'public' }))

  expect(ran).toBe(true)
})
