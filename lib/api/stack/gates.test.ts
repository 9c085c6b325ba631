import { expect, test } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import { readSettings } from '#lib/domain/settings.ts'
import type { Caller } from '#lib/store/accounts/account.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { passThrough } from '#test/middleware.ts'
import { admitCaller, gates, verifyHash } from './gates.ts'

const open = { Allow_API: 'on', Allow_GET_API: 'on' }

const sendThroughGates = (
  method: string,
  settings: Readonly<Record<string, string>>,
  contract: { postOnly?: true } = {},
) => passThrough(gates(contract), { request: { method }, findings: { settings: readSettings(settings) } })

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
      findings: {
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
  const { findings, ran } = await passThrough(admitCaller({ callers }), { findings: { claimant: bob } })

  expect(findings.caller).toBe(bob)
  expect(ran).toBe(true)
})

test.each<[string, Partial<Caller> | undefined, string]>([
  ['a missing account', undefined, 'Who are you'],
  ['a blocked account', { blocked: true }, 'Who are you'],
  ['a blocked account of a type that is not admitted', { blocked: true, usertype: 'partner' }, 'Who are you'],
  ['a type that is not admitted', { usertype: 'partner' }, 'Not you'],
])('%s is refused with the message of the contract', async (_who, change, words) => {
  const claimant = change && { ...bob, ...change }

  await expect(passThrough(admitCaller({ callers }), { findings: { claimant } })).rejects.toThrow(words)
})

test('without a message of their own, other account types get the anonymous one', async () => {
  const { others: _, ...without } = callers
  const claimant: Caller = { ...bob, usertype: 'reseller' }

  await expect(passThrough(admitCaller({ callers: without }), { findings: { claimant } })).rejects.toThrow(
    'Who are you',
  )
})

test('a public method admits everybody', async () => {
  const { ran } = await passThrough(admitCaller({ callers: 'public' }))

  expect(ran).toBe(true)
})
