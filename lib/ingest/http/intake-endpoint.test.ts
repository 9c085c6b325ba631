import fc from 'fast-check'
import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { listCallsWithId } from '#lib/calls/call.ts'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { FORMAT_NAMES } from '#lib/cdrs/formats/formats.ts'
import { revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { aFailingClient } from '#test/faults/faulty-endpoint.ts'
import { anIntake, aWorldWithIntake, basic, post } from '#test/mediation/intake.ts'
import { asteriskCdr } from '#test/mediation/switch-documents.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import { deliverAsMessages } from './deliver-to-queue.ts'
import { deliverToTable } from './deliver-to-table.ts'

/** A CDR of Bob's phone in the format of mod_json_cdr. */
const cdr = (uuid = 'u-1', variables: Readonly<Record<string, string>> = {}) => ({
  variables: {
    direction: 'inbound',
    uuid,
    sip_auth_username: 'bobs-phone',
    start_epoch: '1773136800',
    answer_epoch: '1773136810',
    end_epoch: '1773136870',
    duration: '70',
    billsec: '60',
    hangup_cause_q850: '16',
    ...variables,
  },
  callflow: [{ caller_profile: { caller_id_number: '37000001', destination_number: '442079460000' } }],
})

const countedCalls = async ({ store }: World): Promise<number> =>
  (await findQuickStats(store, 'everyone', '2026-03-10')).month.calls

test('a posted CDR is stored once for its customer, and the query string is ignored', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const request = {
    body: JSON.stringify(cdr()),
    headers: { authorization },
    query: [['uuid', 'a_u-1']] as const,
  }

  const answers = [
    await post(world, 'freeswitch-json', request),
    await post(world, 'freeswitch-json', request),
  ]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect(await listCallsWithId(world.store, 'u-1')).toMatchObject([
    { source: 'fs1', user_id: 10, device_id: 100, billsec: 60, user_price: '1' },
  ])
  expect(await countedCalls(world)).toBe(1)
})

const form = (body: string, type: string) => ({ body, headers: { 'Content-Type': type } })
const text = JSON.stringify(cdr())

test.each([
  ['a form field', form(`cdr=${encodeURIComponent(text)}`, 'application/x-www-form-urlencoded')],
  ['base64', form(`cdr=${Buffer.from(text).toString('base64')}`, 'application/x-www-form-base64-encoded')],
  ['plain', form(`cdr=${text}`, 'application/x-www-form-plaintext')],
  ['a type that nobody knows', form(text, 'multipart/form-data')],
])('the intake accepts a CDR that mod_json_cdr sends as %s', async (_case, { body, headers }) => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)

  const { statusCode } = await post(world, 'freeswitch-json', {
    body,
    headers: { ...headers, authorization },
  })

  expect(statusCode).toBe(200)
  expect(await listCallsWithId(world.store, 'u-1')).toHaveLength(1)
})

test('without a queue a document is mediated at once', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)

  await post(world, 'freeswitch-json', { body: text, headers: { authorization }, deliver: deliverToTable })

  expect(await listCallsWithId(world.store, 'u-1')).toHaveLength(1)
})

test.each([
  ['no credentials', 401, 'freeswitch-json', {}],
  ['not basic', 401, 'freeswitch-json', { headers: { authorization: 'Bearer x' } }],
  ['no colon', 401, 'freeswitch-json', { headers: { authorization: `Basic ${btoa('fs1')}` } }],
  ['a wrong secret', 401, 'freeswitch-json', { headers: { authorization: basic('fs1', 'x') } }],
  ['a name of nobody', 401, 'freeswitch-json', { headers: { authorization: basic('fs2', 'x') } }],
  ['a name as long as it likes', 401, 'csv', { headers: { authorization: basic('n'.repeat(5000), 'x') } }],
  ['a blank name', 401, 'csv', { headers: { authorization: basic('', '') } }],
  ['no such format', 404, 'freeswitch', {}],
  ['a name of Object', 404, 'constructor', {}],
  ['another verb', 405, 'live', { method: 'GET' }],
  ['a compressed body', 415, 'freeswitch-json', { headers: { 'Content-Encoding': 'gzip' } }],
  ['a packed body', 415, 'csv', { body: Buffer.from('1f8b0800', 'hex') }],
  ['more than is taken', 413, 'csv', { body: 'x'.repeat(4_000_001) }],
])('%s: %i', async (_case, status, format, request) => {
  const { world } = await aWorldWithIntake(bobsOperator)

  const answer = await post(world, format, { body: text, ...request })

  expect(answer.statusCode).toBe(status)
  expect(answer.headers).toMatchObject({
    'Content-Type': 'text/xml; charset=utf-8',
    'Cache-Control': 'no-store',
  })
  expect(await countedCalls(world)).toBe(0)
})

test('a revoked secret is refused, and no log contains a secret', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  await carriedOut(world, revokeIntake, { name: 'fs1' })

  expect((await post(world, 'csv', { body: text, headers: { authorization } })).statusCode).toBe(401)
  const secret = Buffer.from(authorization.slice(6), 'base64').toString().split(':')[1]
  expect(JSON.stringify([world.log, await world.dump()])).not.toContain(secret)
})

test.each(['throttled', 'dropped before it arrived', 'answer lost'] as const)(
  'a table that fails is 503, and the same again is stored once: %s',
  async (fault) => {
    const { world, authorization } = await aWorldWithIntake(bobsOperator)
    const request = { body: text, headers: { authorization } }
    const faulty = withClient(world, await aFailingClient([...Array(7), fault]))

    const statuses = []
    while (statuses.at(-1) !== 200) statuses.push((await post(faulty, 'freeswitch-json', request)).statusCode)

    expect(statuses).toEqual([503, 200])
    expect(await countedCalls(world)).toBe(1)
  },
)

test('a large body is split into messages that fit into the queue, each CDR once', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const filling = 'x\uFFFE"'.repeat(1500)
  const lines = Array.from({ length: 400 }, (_, index) => JSON.stringify(cdr(`u-${index}`, { filling })))
  const messages: string[] = []

  const { statusCode } = await post(world, 'freeswitch-json', {
    body: lines.join('\n').slice(0, 3_900_000),
    headers: { authorization },
    deliver: deliverAsMessages(async (some) => messages.push(...some)),
  })

  expect(statusCode).toBe(200)
  expect(messages.length).toBeGreaterThan(10)
  expect(
    messages.filter((message) => Buffer.byteLength(message) > 262_144 || /[\uFFFE\uFFFF]/.test(message)),
  ).toEqual([])
  const whole = lines.join('\n').slice(0, 3_900_000).split('\n')
  expect(messages.flatMap((message) => JSON.parse(message).document.trim().split('\n'))).toEqual(whole)
})

test.each([
  ['asterisk-json', '', JSON.stringify(asteriskCdr)],
  ['kamailio-json', '', '{"time":"2026-03-10 10:00:00","method":"INVITE","callid":"1","sip_code":"200"}'],
  ['csv', 'start,dst,duration', '2026-03-10 10:00:00,442079460000,0'],
])('a large body of local times is split also if its intake has no zone: %s', async (...body) => {
  const [format, header, line] = body
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const messages: string[] = []

  const { statusCode } = await post(world, format, {
    body: [header, ...Array(6000).fill(line)].join('\n').trim(),
    headers: { authorization },
    deliver: deliverAsMessages(async (some) => messages.push(...some)),
  })

  expect(statusCode).toBe(200)
  const lines = messages.flatMap((message) => JSON.parse(message).document.trim().split('\n'))
  expect(lines.filter((one) => one !== header)).toHaveLength(6000)
})

test.each([
  ['of no format', 'freeswitch-json', 'hello', {}, 'unreadable'],
  ['empty', 'freeswitch-json', '', {}, 'unreadable'],
  ['of another length than it says', 'freeswitch-json', text, { 'Content-Length': '17' }, 'truncated'],
  [
    'of one CDR too large for a message',
    'freeswitch-json',
    JSON.stringify(cdr('u', { x: 'é'.repeat(1_900_000) })),
    {},
    'too_large',
  ],
  ['large and of another length', 'csv', '"'.repeat(300_000), { 'Content-Length': '17' }, 'truncated'],
  [
    'of an unknown account',
    'freeswitch-json',
    JSON.stringify(cdr('u', { sip_auth_username: 'eve' })),
    {},
    'unknown_account',
  ],
  ['bytes of no text', 'asterisk-csv', Buffer.from([0xff, 0xfe, 0, 1, 0xef, 0xbf, 0xbe]), {}, 'unreadable'],
] as const)('a body %s is suspended', async (_case, format, body, headers, reason) => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)

  const { statusCode } = await post(world, format, { body, headers: { ...headers, authorization } })

  expect(statusCode).toBe(200)
  expect((await suspenseOf(world)).map((record) => record.reason)).toEqual([reason])
  expect(world.log).toContainEqual(expect.objectContaining({ suspended: 1 }))
})

test('the intake has the format details of its switch', async () => {
  const world = await aWorld(bobsOperator)
  const wish = {
    zone: 'Europe/Berlin',
    columns: 'When,To,Sec,Who,Leg',
    map: 'start=When\ndst=To\nbillsec=Sec\ndevice=Who',
    where: 'Leg=A',
  }
  const authorization = await anIntake(world, 'gw1', wish)

  await post(world, 'csv', {
    body: '2026-03-10 12:00:00,442079460000,60,bobs-phone,a\n2026-03-10 12:00:00,442079460000,60,bobs-phone,b\n',
    headers: { authorization },
  })

  expect(await suspenseOf(world)).toEqual([])
  const [call, ...others] = callsIn(await world.dump())
  expect(others).toEqual([])
  expect(call).toMatchObject({
    source: 'gw1',
    calldate: secondsOf(new Date('2026-03-10T11:00:00Z')),
    user_price: '1',
  })
})

/** A transaction in the format of acc_json. */
const transaction = (method: string, time: number) => ({
  method,
  from_tag: 'a',
  to_tag: 'b',
  callid: 'dialog-1',
  sip_code: '200',
  sip_reason: 'OK',
  time: String(time),
  src_user: 'bobs-phone',
  dst_user: '442079460000',
})

test('both events of a dialog are correlated in either order', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator, 'sip1')
  const ends = [transaction('BYE', 1_773_136_860), transaction('INVITE', 1_773_136_800)]

  for (const end of ends) {
    await post(world, 'kamailio-json', { body: JSON.stringify(end), headers: { authorization } })
  }

  expect(await listCallsWithId(world.store, 'dialog-1')).toMatchObject([
    { source: 'sip1', billsec: 60, user_price: '1' },
  ])
  expect(await suspenseOf(world)).toEqual([])
})

const formats = fc.constantFrom(...FORMAT_NAMES)

test('every body is answered with 200', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const body = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '[]',
      '[[]]',
      'null',
      '{}',
      '<cdr/>',
      '<cdr><variables/></cdr>',
      'a,b\n"c',
      'start,dst\n1,2',
      'cdr=',
      'cdr=%',
    ),
  )

  await fc.assert(
    fc.asyncProperty(formats, body, async (format, text) => {
      const { statusCode } = await post(world, format, { body: text, headers: { authorization } })
      expect(statusCode).toBe(200)
    }),
    { numRuns: 60 },
  )
})
