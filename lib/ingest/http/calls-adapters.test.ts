import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findHolds, readHold } from '#lib/control/holds.ts'
import { aControlEndpoint, aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { rate } from '#test/examples/tariffs.ts'
import { bodyOf, type World } from '#test/world.ts'

// Requests of the dial plans in docs/adapters, from mod_curl's and func_curl's sources. No switch runs.

const adapter = (name: string): string => readFileSync(`docs/adapters/${name}`, 'utf8')

const DIALLED = '+442079460000'

/** The clocks of the switches, five seconds behind. */
const AT = '1773143995'

/** A request as libcurl sends it for an address with a name and a secret in it. */
interface CurlRequest {
  readonly url: string
  readonly body: string
  readonly contentType: string
}

async function sendTo(world: World, authorization: string, { url, body, contentType }: CurlRequest) {
  const path = /\/calls\/(authorize|release)$/.exec(url)?.[1] === 'release' ? 'release' : 'authorize'
  const headers = { authorization, 'Content-Type': contentType }
  const answer = await aControlEndpoint(world, path)({ body, headers })
  return [answer.statusCode, bodyOf(answer)]
}

const FREESWITCH: Readonly<Record<string, string>> = {
  uuid: '0b0e0ef0-0000-4000-8000-000000000001',
  'strepoch()': AT,
  accountcode: '',
  sip_auth_username: 'bobs-phone',
}

/** The actions of FreeSWITCH's extension by application, with a channel's variables filled in. */
function actionsOfFreeswitch(): (readonly [application: string, data: string])[] {
  const variables = new Map(Object.entries(FREESWITCH))
  const [, extension = ''] =
    /<extension name="tollgate-call">(.*?)<\/extension>/s.exec(adapter('freeswitch-calls.xml')) ?? []
  return [...extension.matchAll(/<action application="(\w+)" data="([^"]*)"/g)].map(
    ([, application = '', data = '']) => {
      const text = data
        .replaceAll('&quot;', '"')
        .replaceAll('$${tollgate_url}', 'http://localhost:3000/calls')
        .replaceAll('$1', DIALLED)
        .replace(/\$\{(\w+(?:\(\))?)\}/g, (_all, name: string) => variables.get(name) ?? '')
      const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? []
      if (application === 'set' && name) variables.set(name, value)
      return [application, text] as const
    },
  )
}

/** Reads words as `curl_app_function` does, decoding what it posts (mod_curl.c, switch_url_decode). */
function curlOfFreeswitch(words: string): CurlRequest {
  const [url = '', ...rest] = words.split(' ')
  const after = (word: string) => rest[rest.indexOf(word) + 1] ?? ''
  const body = after('post').replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return { url, body, contentType: after('content-type') }
}

test('FreeSWITCH asks before it bridges, and releases a call that ends without an answer', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)
  const actions = actionsOfFreeswitch()
  const [, asks = ''] = actions.find(([application]) => application === 'curl') ?? []
  const [, hook = ''] = actions.find(([, data]) => data.startsWith('api_hangup_hook=')) ?? []
  const release = hook.replace('api_hangup_hook=curl ', '')

  expect(await sendTo(world, authorization, curlOfFreeswitch(asks))).toEqual([200, '1800'])
  expect(await findHolds(world.store, [10])).toMatchObject([{ held: '6', open: 1 }])
  expect(await sendTo(world, authorization, curlOfFreeswitch(release))).toEqual([200, '6.000000'])
  expect(actions.map(([application]) => application).slice(-3)).toEqual([
    'execute_extension',
    'set',
    'bridge',
  ])
})

const ASTERISK: Readonly<Record<string, string>> = {
  EXTEN: DIALLED,
  UNIQUEID: '1795819280.12',
  EPOCH: AT,
  'CHANNEL(accountcode)': '',
  'CHANNEL(endpoint)': 'bobs-phone',
}

/** Evaluates `${...}` from inside to outside, as pbx_substitute_variables does. `CURL` notes its request. */
function evaluated(text: string, variables: ReadonlyMap<string, string>, sent: CurlRequest[]): string {
  let rest = text
  for (let inner = INNERMOST.exec(rest); inner; inner = INNERMOST.exec(rest))
    rest = rest.replace(inner[0], () => textOfExpression(inner?.[1] ?? '', variables, sent))
  return rest
}

const INNERMOST = /\$\{([^${}]*)\}/

function textOfExpression(
  expression: string,
  variables: ReadonlyMap<string, string>,
  sent: CurlRequest[],
): string {
  const [, name = '', given = ''] = /^(\w+)\((.*)\)$/s.exec(expression) ?? []
  if (name === 'URIENCODE') return encodeURIComponent(given)
  if (name === 'FILTER') return given.slice(given.indexOf(',') + 1).replace(/[^0-9+]/g, '')
  if (name === 'CUT') return variables.get('EXTEN')?.split(';')[0] ?? ''
  if (name !== 'CURL') return variables.get(expression) ?? ''
  const [url = '', body = ''] = given.split(',')
  sent.push({ url, body, contentType: 'application/x-www-form-urlencoded' })
  return ''
}

/** The requests of Asterisk's dial plan: of a call, and of its end without an answer. */
function requestsOfAsterisk(dialled = DIALLED): CurlRequest[] {
  const variables = new Map(Object.entries({ ...ASTERISK, EXTEN: dialled }))
  const sent: CurlRequest[] = []
  for (const [, name = '', value = ''] of adapter('asterisk-calls.conf').matchAll(/,Set\((\w+)=(.*)\)$/gm))
    variables.set(name, evaluated(value, variables, sent))
  return sent
}

test('Asterisk asks before Dial, and releases a call that was not answered', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)
  const [asks, release] = requestsOfAsterisk()
  if (!asks || !release) throw new Error('The dial plan does not ask')

  expect(await sendTo(world, authorization, asks)).toEqual([200, '1800'])
  expect(await findHolds(world.store, [10])).toMatchObject([{ held: '6', open: 1 }])
  expect(await sendTo(world, authorization, release)).toEqual([200, '6.000000'])
})

test.each([
  ['FreeSWITCH', () => curlOfFreeswitch(actionsOfFreeswitch().find(([one]) => one === 'curl')?.[1] ?? '')],
  ['Asterisk', () => requestsOfAsterisk()[0]],
])('%s names the moment on its own clock', async (_name, requestOf) => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)

  await sendTo(world, authorization, requestOf() ?? fail())
  const [holds] = await findHolds(world.store, [10])
  expect([...(holds?.texts.values() ?? [])].map((text) => readHold(text).at)).toEqual([Number(AT) * 1000])
})

test('Kamailio names the moment on its own clock', () => {
  expect(adapter('kamailio-calls.cfg')).toContain('"as=text&at=" + $TS + "&call="')
})

const fail = (): never => {
  throw new Error('The dial plan does not ask')
}

test('what a caller dials adds no field to the request of a dial plan', () => {
  const [asks] = requestsOfAsterisk()
  const fields = new URLSearchParams(asks?.body)

  expect([...fields.keys()]).toEqual([
    'as',
    'at',
    'call',
    'src',
    'carrier_src',
    'dst',
    'trunk_dst',
    'provider',
    'account_code',
    'sip_user',
  ])
  expect(fields.get('dst')).toBe(DIALLED)
})

test('Asterisk calls what it asks for: parameters of the dialled text are no part of the number', () => {
  const fields = new URLSearchParams(requestsOfAsterisk('18;7685551234')[0]?.body)

  expect([fields.get('dst'), fields.get('trunk_dst')]).toEqual(['18;7685551234', '18'])
  expect(adapter('asterisk-calls.conf')).toMatch(/Dial\(PJSIP\/\$\{TOLLGATE_NUMBER\}@potomac,/)
})

test.each([
  ['18;7685551234', '187685551234', { sip_user: 'bobs-phone' }, { allow: true, rate: '1.0' }],
  ['18;7685551234', '187685551234', { sip_user: 'eve' }, { reason: 'unknown_account' }],
  ['18%40768555', '1840768555', { sip_user: 'eve' }, { reason: 'unknown_account' }],
  ['sip:18@192.0.2.7;user=phone', '18', { sip_user: 'eve' }, { allow: true, rate: '0.0' }],
  ['18', '18029600005', { sip_user: 'eve' }, { allow: true, rate: '0.0' }],
  ['18;7685551234', '', { sip_user: 'bobs-phone' }, { allow: true, rate: '1.0' }],
  ['18;7685551234', '', { sip_user: 'eve' }, { reason: 'unknown_account' }],
  ['sip:18;7685551234@192.0.2.7', '', { sip_user: 'eve' }, { reason: 'unknown_account' }],
])('a switch that dialled %s as %s', async (dst, trunk_dst, caller, answer) => {
  const bob = prepaidBob('8')
  const rates = [...(bob.rates ?? []), rate({ prefix: '1', tariff_rate: '1' })]
  const providers = [{ id: '1', name: 'Potomac', number_format: 'e164' }]
  const settings = { Rated_Number: 'carrier', Emergency_Numbers: '112,18' }
  const { authorize } = await aSwitch(await aControlledWorld({ ...bob, rates, providers }, settings))

  expect(await authorize({ call: 'one', dst, trunk_dst, provider: 'Potomac', ...caller })).toMatchObject(
    answer,
  )
})

test.each([
  ['dst=+4930123456', { rate: '0.02' }],
  ['dst=%2B4930123456', { rate: '0.02' }],
  ['dst=sip:+4930123456@192.0.2.7', { rate: '0.02' }],
  ['dst=4930123456', { rate: '1.0' }],
])('a form that says %s: a plus that is not escaped is one', async (body, answer) => {
  const bob = prepaidBob('8')
  const rates = [rate({ prefix: '1', tariff_rate: '1' }), rate({ prefix: '4930', tariff_rate: '0.02' })]
  const settings = { Rated_Number: 'carrier', Country_Code: '1', National_Length: '10' }
  const world = await aControlledWorld({ ...bob, rates }, settings)
  const { authorization } = await aSwitch(world)
  const send = aControlEndpoint(world, 'authorize')
  const { body: json } = await send({
    body: `call=one&sip_user=bobs-phone&${body}`,
    headers: { authorization },
  })

  expect(JSON.parse(String(json))).toMatchObject({ allow: true, ...answer })
})

test('a release without a moment takes the hold of a switch whose clock is ahead', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorize, release } = await aSwitch(world)
  const at = Math.floor(world.now.getTime() / 1000) + 200
  await authorize({ call: 'one', at })

  expect(await release({ call: 'one', at: at - 1 })).toEqual({ released: '0' })
  expect(await release({ call: 'one' })).toEqual({ released: '6.000000' })
})

test('a proxy names its carrier by the address that it calls, as the CDR does', async () => {
  const providers = [{ id: '1', name: 'Potomac', addresses: '192.0.2.200', number_format: 'e164' }]
  const settings = { Rated_Number: 'carrier', Country_Code: '44', International_Prefix: '00' }
  const world = await aControlledWorld({ ...prepaidBob('8'), providers }, settings)
  const { authorize } = await aSwitch(world)
  const call = { dst: '02079460000', trunk_dst: '442079460000' }

  expect(await authorize({ call: 'one', ...call, provider: '192.0.2.200' })).toMatchObject({ allow: true })
  expect(await authorize({ call: 'two', ...call, provider: '192.0.2.201' })).toMatchObject({
    reason: 'unknown_rate',
  })
})
