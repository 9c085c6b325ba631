import { expect, test } from 'vitest'
import { findHolds } from '#lib/control/holds.ts'
import { aControlEndpoint, aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { exampleDevices } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { basic } from '#test/mediation/intake.ts'
import { bodyOf } from '#test/world.ts'

const rows = prepaidBob('8')

const refusal = (reason: string, hangupcause: number | null, sip: number) => ({
  allow: false,
  reason,
  hangupcause,
  sip,
})

const free = { allow: true, seconds: 86_400, reserved: '0.000000', rate: '0.0' }

const RATES = [
  ...(rows.rates ?? []),
  rate({ prefix: '49', tariff_rate: '-1' }),
  rate({ prefix: '33', tariff_rate: '0' }),
]

test.each([
  ['a device that nobody has', {}, { sip_user: 'eve' }, refusal('unknown_account', 201, 403)],
  ['no hint of a payer', {}, { sip_user: '' }, refusal('unknown_account', 201, 403)],
  ['an emergency call of nobody', {}, { sip_user: 'eve', dst: 'sip:112@example.net' }, free],
  ['a number without a rate', {}, { dst: '37060000001' }, refusal('unknown_rate', null, 404)],
  ['a blocked prefix', {}, { dst: '4930123456' }, refusal('blocked_destination', null, 403)],
  ['a free rate', {}, { dst: '33123456789' }, free],
  ['a feature code', {}, { dst: '*98' }, free],
  ['another phone', {}, { dst: '1001' }, free],
  ['a dear rate', { dearest_rate: '0.1999' }, {}, refusal('too_dear', null, 403)],
  ['a rate that is just not too dear', { dearest_rate: '0.2' }, {}, { allow: true, reserved: '6.000000' }],
  ['no calls', { calls_limit: '0' }, {}, refusal('calls_limit', 220, 486)],
  ['a spent day', { daily_balance_limit: '0.003' }, {}, refusal('daily_limit', 211, 402)],
  ['a day that is nearly spent', { daily_balance_limit: '0.004' }, {}, { seconds: 1, reserved: '0.003333' }],
  ['no money', { balance: '0.003' }, {}, refusal('no_money', 211, 402)],
  ['its credit', { balance: '-0.5', credit: '1.5' }, {}, { seconds: 300, reserved: '1.000000' }],
  [
    'prepaid, with a credit that has no limit',
    { balance: '-0.5', credit: '-1' },
    {},
    refusal('no_money', 211, 402),
  ],
  ['a shorter reserve', { reserve_seconds: '90' }, {}, { seconds: 90, reserved: '0.300000' }],
  ['a shorter wish', {}, { seconds: 30 }, { seconds: 30, reserved: '0.100000' }],
])('%s', async (_case, account, params, answer) => {
  const given = prepaidBob('8', account)
  const world = await aControlledWorld({ ...given, rates: RATES })
  const { authorize } = await aSwitch(world)

  expect(await authorize({ call: 'one', ...params })).toMatchObject(answer)
})

test('a blocked account may call nobody but emergency numbers', async () => {
  const { authorize } = await aSwitch(await aControlledWorld(prepaidBob('8', { blocked: '1' })))

  expect(await authorize({ call: 'one' })).toEqual(refusal('blocked', 202, 403))
  expect(await authorize({ call: 'one', dst: '*98' })).toEqual(refusal('blocked', 202, 403))
  expect(await authorize({ call: 'one', dst: '112' })).toMatchObject(free)
})

test('an account that is not limited calls without a hold', async () => {
  const world = await aControlledWorld(prepaidBob('0', { postpaid: '1', credit: '-1' }))
  const { authorize } = await aSwitch(world)

  expect(await authorize({ call: 'one' })).toMatchObject({ ...free, rate: '0.2', destination: 'UK' })
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('HOLDS#'))).toEqual([])
})

test('the margin is kept back, and a call that it would fill is refused', async () => {
  const settings = { Hangup_Margin_Seconds: '' }
  const world = await aControlledWorld(prepaidBob('0.01', { reserve_seconds: '60' }), settings)
  const { authorize } = await aSwitch(world)

  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 1, reserved: '0.010000' })
  expect(await authorize({ call: 'two', seconds: 2 })).toBe(400)
  expect(await authorize({ call: 'two' })).toMatchObject({ reason: 'no_money', hangupcause: 212 })
})

test('a dial plan reads plain text', async () => {
  const { send } = await aSwitch(await aControlledWorld(prepaidBob('8')))
  const ask = async (params: Record<string, string>, headers = {}) => {
    const answer = await send(
      'authorize',
      { call: 'one', dst: UK, sip_user: 'bobs-phone', ...params },
      headers,
    )
    return [answer.headers?.['Content-Type'], bodyOf(answer)]
  }
  const text = 'text/plain; charset=utf-8'

  expect(await ask({ as: 'text' })).toEqual([text, '1800'])
  expect(await ask({}, { Accept: 'text/plain' })).toEqual([text, '1800'])
  expect(await ask({ as: 'text', sip_user: 'eve' })).toEqual([text, '0 unknown_account'])
})

test('a request may be JSON', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)
  const body = JSON.stringify({ call: 1, dst: Number(UK), sip_user: 'bobs-phone', more: { a: 1 } })
  const headers = { authorization, 'Content-Type': 'application/json' }

  const answer = await aControlEndpoint(world, 'authorize')({ body, headers })

  expect(JSON.parse(bodyOf(answer))).toMatchObject({ allow: true, call: '1', seconds: 1800 })
})

const form = `call=one&dst=${UK}&sip_user=bobs-phone`

test.each([
  ['no credentials', 401, { headers: {} }],
  ['a wrong secret', 401, { headers: { authorization: basic('fs1', 'x') } }],
  ['another verb', 405, { method: 'GET' }],
  ['a compressed body', 415, { headers: { 'Content-Encoding': 'gzip' } }],
  ['too large a body', 413, { body: `${form}&src=${'1'.repeat(4096)}` }],
  ['no body', 400, { body: '' }],
  ['no call', 400, { body: `dst=${UK}` }],
  ['a blank dst', 400, { body: 'call=one&dst=%20' }],
  ['a call twice', 400, { body: `${form}&call=two` }],
  [
    'a call twice in JSON',
    400,
    { body: `{"call":"one","dst":"${UK}","sip_user":"bobs-phone","call":"two"}` },
  ],
  [
    'a payer twice in JSON',
    400,
    { body: `{"call":"one","dst":"${UK}","sip_user":"x","sip\\u005fuser":"bobs-phone"}` },
  ],
  ['an old request', 400, { body: `${form}&at=1773143699` }],
  ['a request from the future', 400, { body: `${form}&at=1773144301` }],
  ['no moment', 400, { body: `${form}&at=now` }],
  ['seconds that are none', 400, { body: `${form}&seconds=1e3` }],
  ['no seconds', 400, { body: `${form}&seconds=0` }],
  ['no JSON', 400, { body: '{"call":' }],
  ['a list', 400, { body: '[]', headers: { 'Content-Type': 'application/json' } }],
  ['an object as a call', 400, { body: '{"call":{},"dst":"1"}' }],
] as const)('%s: %i', async (_case, status, { headers, ...request }: Record<string, unknown>) => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)
  const sent = { body: form, headers: { authorization, ...(headers ?? {}) }, ...request }
  const isOpen = _case === 'no credentials'

  const answer = await aControlEndpoint(world, 'authorize')(isOpen ? { body: form } : sent)

  expect(answer.statusCode).toBe(status)
  expect(JSON.parse(bodyOf(answer))).toEqual({ error: expect.any(String) })
  expect(answer.headers).toMatchObject({ 'Cache-Control': 'no-store' })
  if (status === 401)
    expect(answer.headers).toMatchObject({ 'WWW-Authenticate': expect.stringMatching(/^Basic/) })
})

test.each([
  ['bytes that are not UTF-8', Buffer.from(`call=a\xff@b&dst=${UK}&sip_user=bobs-phone`, 'latin1')],
  ['escaped bytes that are not UTF-8', `${form.replace('one', 'a%FF@b')}`],
  ['a blank after it', `${form.replace('one', 'one%20')}`],
  ['a no-break space after it', `${form.replace('one', 'one%C2%A0')}`],
  ['a no-break space at the end of the body', `dst=${UK}&sip_user=bobs-phone&call=one\u00a0`],
  ['a letter beyond ASCII', `${form.replace('one', '%C3%A9')}`],
  ['half of a surrogate pair', `{"call":"a\\ud800","dst":"${UK}","sip_user":"bobs-phone"}`],
])('a call with %s is refused: another one may not share its hold', async (_case, body) => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)

  for (const path of ['authorize', 'release'] as const) {
    const answer = await aControlEndpoint(world, path)({ body, headers: { authorization } })
    expect([answer.statusCode, JSON.parse(bodyOf(answer))]).toEqual([400, { error: CALL_REFUSED }])
  }
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('HOLDS#'))).toEqual([])
})

const CALL_REFUSED = 'call takes visible ASCII characters, without blanks'

test.each(['dst', 'trunk_dst', 'provider', 'src', 'account_code', 'device', 'sip_user', 'did', 'ip'])(
  'a control character in %s is refused: its CDR would be suspended',
  async (name) => {
    const { authorize } = await aSwitch(await aControlledWorld(prepaidBob('8')))

    expect(await authorize({ call: 'one', [name]: '44\n2079460000' })).toBe(400)
    expect(await authorize({ call: 'one', [name]: '44\u008520' })).toBe(400)
  },
)

test('a number of JSON keeps its digits as the id of a call', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  const { authorization } = await aSwitch(world)
  const ask = async (call: string) => {
    const body = `{"call":${call},"dst":${UK},"sip_user":"bobs-phone","seconds":60}`
    return bodyOf(await aControlEndpoint(world, 'authorize')({ body, headers: { authorization } }))
  }

  expect(JSON.parse(await ask('1741600000.10'))).toMatchObject({ call: '1741600000.10' })
  expect(JSON.parse(await ask('1741600000.1'))).toMatchObject({ call: '1741600000.1' })
  expect(await findHolds(world.store, [10])).toMatchObject([{ open: 2 }])
})

test('wrong secrets are limited as at the intake', async () => {
  const world = await aControlledWorld(prepaidBob('8'))
  await aSwitch(world)
  const statuses = []
  for (let tries = 0; tries < 11; tries += 1) {
    const request = { body: form, headers: { authorization: basic('fs1', `x${tries}`) } }
    statuses.push((await aControlEndpoint(world, 'release')(request)).statusCode)
  }

  expect(statuses).toEqual([...Array(10).fill(401), 429])
})

test('while Call_Control is off, the routes are not there and nothing is written', async () => {
  const world = await aControlledWorld(prepaidBob('8'), { Call_Control: '0' })
  const { authorize, release, ended } = await aSwitch(world)
  const before = await world.dump()

  expect([await authorize({ call: 'one' }), await release({ call: 'one' })]).toEqual([404, 404])
  expect((await aControlEndpoint(world, 'authorize')({ body: '{' })).statusCode).toBe(404)
  expect(await world.dump()).toEqual(before)
  expect((await ended('one', 60)).statusCode).toBe(200)
})

test('the payer is found as in mediation: by name, account code, address or called number', async () => {
  const given = prepaidBob('8')
  const devices = exampleDevices.map((device) =>
    device['name'] === 'bobs-phone' ? { ...device, host: '192.0.2.9', authentication: 'ip' } : device,
  )
  const dids = [{ id: '1', did: '37052000000', owner_id: '0', user_id: '10' }]
  const world = await aControlledWorld({ ...given, devices, dids })
  const { authorize } = await aSwitch(world)
  const hint = (params: Record<string, string>) =>
    authorize({ call: JSON.stringify(params), sip_user: '', ...params })

  expect(await hint({ device: 'bobs-phone', seconds: '60' })).toMatchObject({ reserved: '0.200000' })
  expect(await hint({ account_code: 'bob', seconds: '60' })).toMatchObject({ reserved: '0.200000' })
  expect(await hint({ account_code: '10', seconds: '60' })).toMatchObject({ reserved: '0.200000' })
  expect(await hint({ ip: '192.0.2.9', seconds: '60' })).toMatchObject({ reserved: '0.200000' })
  expect(await hint({ ip: '192.0.2.1', dst: '37052000000' })).toMatchObject(free)
})

test.each([
  ['example 14: a caller without an origin', { src: '12025550143' }, 238, '1.000000', '0.25'],
  ['example 15: no caller, which is an invalid one', {}, 238, '1.000000', '0.25'],
  [
    'a withheld number that the carrier is shown',
    { src: '4930123456', carrier_src: 'anonymous' },
    238,
    '1.000000',
    '0.25',
  ],
  ['a caller of an origin', { src: '4930123456' }, 1798, '0.210000', '0.007'],
  [
    'a shown number of an origin',
    { src: '12025550143', carrier_src: '+4930123456' },
    1798,
    '0.210000',
    '0.007',
  ],
])('a tariff with origins, %s', async (_case, params, seconds, reserved, ofMinute) => {
  const rates = [
    rate({ prefix: '32', tariff_rate: '0.2500', increment: '1' }),
    rate({ prefix: '32', tariff_rate: '0.0070', increment: '1', origin: 'EEA' }),
  ]
  const origins = ['32', '49'].map((prefix) => ({ tariff_id: '1', origin: 'EEA', prefix }))
  const settings = { Hangup_Margin_Seconds: '2' }
  const { authorize } = await aSwitch(
    await aControlledWorld({ ...prepaidBob('1.00'), origins, rates }, settings),
  )

  expect(await authorize({ call: 'one', dst: '3221234567', ...params })).toMatchObject({
    allow: true,
    ...{ seconds, reserved, rate: ofMinute },
  })
})

test('dearest_rate is compared with the sum of a rate and what its origin adds', async () => {
  const rates = [
    rate({ prefix: '44', tariff_rate: '0.2', increment: '1' }),
    rate({ prefix: '44', tariff_rate: '0.1', origin: 'AU', adds: '1' }),
  ]
  const origins = [{ tariff_id: '1', origin: 'AU', prefix: '61' }]
  const world = await aControlledWorld({ ...prepaidBob('8', { dearest_rate: '0.25' }), origins, rates })
  const { authorize } = await aSwitch(world)

  expect(await authorize({ call: 'one', src: '12025550143' })).toMatchObject({ allow: true, rate: '0.2' })
  for (const src of ['61212345678', ''])
    expect(await authorize({ call: `two${src}`, src })).toEqual(refusal('too_dear', null, 403))
})
