import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { accountIn } from '#lib/api/loads.ts'
import { defineMethod } from '#lib/api/method.ts'
import { idParam, storedText } from '#lib/api/parameters.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { accountKey } from '#lib/table/keys.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { element } from '#lib/xml/element.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, SECRET_KEY, signedForm } from '#test/world.ts'

const greeting = defineMethod(
  {
    name: 'greeting_get',
    summary: 'Greets.',
    callers: { allowed: ['admin', 'user'], anonymous: 'Who are you', others: 'Not you' },
    params: { name: storedText, number: idParam },
    hashOrders: [{ signs: ['name'] }],
    errors: { nobody: 'Nobody to greet' },
    envelope: 'page',
    access: 'read',
  },
  async ({ params, refuse, refuseUnstorable }) => {
    refuseUnstorable()
    if (params.name === 'bug') throw new Error('a bug with a secret')
    if (!params.name) throw refuse('nobody')
    return element('greeting', params.name)
  },
)

const gate = (message: string) => `<page><status><error>${message}</error></status></page>`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

const aPeopledWorld = () => aWorld({ users: people })

test('an answer is a complete document', async () => {
  const world = await aPeopledWorld()

  expect(await world.call(greeting, 'admin', { name: 'a & b' })).toBe(
    `${DECLARATION}<page><greeting>a &amp; b</greeting></page>`,
  )
})

test('the order: body, API switch, GET switch, key, hash, caller, account type, parameters', async () => {
  const world = await aPeopledWorld()
  await world.set({ Allow_API: 'off', Allow_GET_API: 'off', API_Secret_Key: '' })
  const request = { method: 'POST', type: 'text/xml', hash: 'wrong', u: 'nobody', name: '\u0001' }
  const answer = async () => {
    const { method, type, ...fields } = request
    const form = new URLSearchParams(fields).toString()
    const sent =
      method === 'GET' ? { query: Object.entries(fields) } : { body: form, headers: { 'content-type': type } }
    return bodyOf(await world.send(greeting, { method, ...sent })).replace(DECLARATION, '')
  }
  const sign = () => signatureOf(request, { signs: ['name'] }, SECRET_KEY)

  expect(await answer()).toContain('<status><error>Unsupported content type</error><message>Send ')
  request.type = 'application/x-www-form-urlencoded'
  expect(await answer()).toBe(gate('API Requests are disabled'))
  await world.set({ Allow_API: 'yes' })
  request.method = 'GET'
  expect(await answer()).toBe(gate('GET Requests are disabled'))
  await world.set({ Allow_GET_API: 'on' })
  expect(await answer()).toBe(gate('API must have Secret Key'))
  await world.set({ API_Secret_Key: 'short' })
  expect(await answer()).toBe(gate('API must have Secret Key'))
  await world.set({ API_Secret_Key: SECRET_KEY })
  expect(await answer()).toBe(gate('Incorrect hash'))
  request.hash = sign()
  expect(await answer()).toBe('<page><error>Who are you</error></page>')
  request.u = 'rick'
  expect(await answer()).toBe('<page><error>Not you</error></page>')
  request.u = 'bob'
  expect(await answer()).toBe('<page><error>name has invalid characters</error></page>')
  request.name = ''
  request.hash = sign()
  expect(await answer()).toBe('<page><error>Nobody to greet</error></page>')
  request.name = 'Bob'
  request.hash = sign()
  expect(await answer()).toBe('<page><greeting>Bob</greeting></page>')
})

test.each(['nobody', 'ben', 'Bob', ''])(
  'the username %j is anonymous: blank, unknown, blocked or in another case',
  async (username) => {
    const world = await aPeopledWorld()

    expect(await world.call(greeting, username, { name: 'x' })).toContain('<error>Who are you</error>')
  },
)

test('an item that the contract loads is not read before the caller is admitted', async () => {
  const world = await aPeopledWorld()
  const loads = { user: accountIn('number') }
  const loading = defineMethod({ ...greeting, loads }, async () => '')
  await world.store.update(accountKey(10), { set: { usertype: 'damaged' } })

  expect(bodyOf(await world.send(loading, { body: 'u=bob&number=10' }))).toContain('Incorrect hash')
  expect(await world.call(loading, 'nobody', { number: 10 })).toContain('Who are you')
  expect(await world.call(loading, 'bob', { number: 10 })).toContain('Internal error')
})

test('while hash checking is off, a wrong hash is ignored, and no key is needed', async () => {
  const world = await aPeopledWorld()
  await world.set({ API_Disable_hash_checking: 'true', API_Secret_Key: '' })

  expect(bodyOf(await world.send(greeting, { body: 'u=bob&name=x&hash=wrong' }))).toContain(
    '<greeting>x</greeting>',
  )
  expect(world.log.at(-1)).toMatchObject({ outcome: 'answered', unchecked: true })

  await world.set({ API_Disable_hash_checking: '0', API_Secret_Key: SECRET_KEY })
  await world.send(greeting, { body: 'u=bob&name=x&hash=wrong' })
  expect(world.log.at(-1)).not.toHaveProperty('unchecked')
})

test('another verb is refused after the API switch', async () => {
  const world = await aWorld()

  const answer = await world.send(greeting, {
    method: 'PUT',
    body: '{',
    headers: { 'content-type': 'text/xml' },
  })

  expect(answer).toMatchObject({ statusCode: 405, headers: { Allow: 'GET, POST' } })
  expect(answer.body).toBe(DECLARATION + gate('Method not allowed'))
  await world.set({ Allow_API: '0' })
  expect(bodyOf(await world.send(greeting, { method: 'PUT' }))).toContain(gate('API Requests are disabled'))
})

test.each([
  ['1', 'text/xml; charset=utf-8'],
  ['0', 'text/html; charset=utf-8'],
])('with XML_API_Extension %s answers are %s', async (setting, type) => {
  const world = await aPeopledWorld()
  await world.set({ XML_API_Extension: setting })

  const answer = await world.send(greeting, { body: signedForm(greeting, { u: 'bob', name: 'x' }) })

  expect(answer.headers).toMatchObject({ 'Content-Type': type, 'Cache-Control': 'no-store' })
})

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0, *', false],
  ['identity', false],
])('a client that accepts %j: compressed is %j', async (accepted, compressed) => {
  const world = await aPeopledWorld()

  const { headers, body, isBase64Encoded } = await world.send(greeting, {
    headers: { 'accept-encoding': accepted },
    body: signedForm(greeting, { u: 'bob', name: 'x' }),
  })

  expect(headers?.['Content-Encoding']).toBe(compressed ? 'gzip' : undefined)
  const document = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
  expect(document).toContain('<greeting>x</greeting>')
})

test('a bug is a 500 with a general message, and the log has its details', async () => {
  const world = await aPeopledWorld()

  const answer = await world.send(greeting, { body: signedForm(greeting, { u: 'bob', name: 'bug' }) })

  expect(answer.statusCode).toBe(500)
  expect(answer.body).toBe(DECLARATION + gate('Internal error'))
  expect(world.log).toMatchObject([
    {
      outcome: 'failed',
      caller: 10,
      error: { message: 'a bug with a secret', stack: expect.stringContaining('stack.test.ts') },
    },
  ])
})

test('a call is logged in one line with its cost, without its parameters', async () => {
  const world = await aPeopledWorld()

  await world.call(greeting, 'bob', { name: 'Mallory', p: 'a-password' })

  expect(world.log).toEqual([
    {
      method: 'greeting_get',
      caller: 10,
      outcome: 'answered',
      milliseconds: 0,
      request: 'request-1',
      invocation: 'invocation-1',
      round_trips: 1,
      read_units: 2,
      write_units: 0,
    },
  ])
})

test('a refusal is logged with its message', async () => {
  const world = await aPeopledWorld()

  await world.call(greeting, 'bob')

  expect(world.log).toMatchObject([{ outcome: 'refused', refusal: 'Nobody to greet' }])
})

test('an answer that the transport cannot carry is refused', async () => {
  const world = await aPeopledWorld()
  const long = defineMethod({ ...greeting }, async () => element('long', 'x'.repeat(4_500_000)))

  expect(await world.call(long, 'bob', { name: 'x' })).toContain('<error>The answer is too large')
})

test('a contract can sign only its parameters and refuse only with its errors', () => {
  defineMethod(
    // @ts-expect-error the order names a parameter that the contract does not have
    { ...greeting, params: { number: idParam }, hashOrders: [{ signs: ['name'] }] },
    async () => '',
  )
  defineMethod({ ...greeting, errors: { nobody: '' } }, async ({ refuse }) => {
    // @ts-expect-error no such refusal in the contract
    throw refuse('somebody')
  })
})

test('a method that lost a race reads the settings again', async () => {
  const world = await aPeopledWorld()
  const seen: string[] = []
  const loser = defineMethod(
    {
      name: 'race_create',
      summary: 'Loses a race.',
      callers: { allowed: ['admin'], anonymous: 'Who are you' },
      params: { name: storedText },
      hashOrders: [{ signs: ['name'] }],
      errors: {},
      envelope: 'page',
      access: 'write',
    },
    async ({ settings, lostRaces }) => {
      seen.push(settings.Default_Currency)
      if (lostRaces > 0) return element('greeting', 'again')
      await world.set({ Default_Currency: 'CHF' })
      throw new ConditionFailed([0], {})
    },
  )
  await world.call(loser, 'admin', { name: 'x' })

  expect(seen).toEqual([expect.not.stringMatching('CHF'), 'CHF'])
})
