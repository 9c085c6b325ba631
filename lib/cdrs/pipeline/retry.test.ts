import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import {
  anOperator,
  CALL,
  csv,
  DAWN,
  dialogEvent,
  FIRST_CALL,
  NOON,
  reasonsOf,
  send,
  stored,
  zoeAppears,
  zoesDialog,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { suspenseKeys } from '../suspense/suspense.ts'
import { reasonsCuredBy, retryBatches, retryEntries, suspendOverdue } from './retry.ts'

const OWN_TARIFF = [{ id: '2', name: 'Another', owner_id: '0' }]
const CAROL_BY_HER_OWN = people
  .filter(({ username }) => username === 'carol')
  .map((carol) => ({ ...carol, tariff_id: '2' }))

test('a suspended CDR leaves suspense when the same content is stored from another format', async () => {
  const world = await anOperator()
  const stranger = { account_code: 'zoe' }
  await send(world, csv([stranger]))
  expect(await reasonsOf(world)).toEqual(['unknown_account'])
  await zoeAppears(world)

  const json = JSON.stringify({ ...CALL, accountcode: 'zoe' })
  expect(await send(world, { format: 'asterisk-json', text: json })).toMatchObject({ stored: 1 })
  expect(await suspenseOf(world)).toEqual([])
})

test('a suspended CDR that comes again in another format is stored by a retry', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  const json = JSON.stringify({ ...CALL, accountcode: 'zoe' })
  expect(await send(world, { format: 'asterisk-json', text: json })).toMatchObject({ suspended: 1 })
  await zoeAppears(world)

  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(retried).toEqual({ stored: 1, suspended: 0 })
  expect(await stored(world)).toEqual([FIRST_CALL])
})

test('a suspended CDR that comes again behind its correction does not replace it at a retry', async () => {
  const world = await anOperator()
  const [short, long] = [{ account_code: 'zoe' }, { account_code: 'zoe', duration: '610', billsec: '600' }]
  await send(world, csv([short, long, short]))
  await zoeAppears(world)

  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

  expect(await stored(world)).toMatchObject([{ billsec: 600 }])
})

const ZOES = { account_code: 'zoe' }
const VERSIONS = [
  { ...ZOES, billsec: '60' },
  { ...ZOES, billsec: '50' },
]

test.each([
  ['the longer', VERSIONS],
  ['the shorter', VERSIONS.toReversed()],
])(
  'of two versions that come in one second, %s first, a retry stores the later one',
  async (_which, sent) => {
    const world = await anOperator()
    await send(world, csv([{ ...ZOES, uniqueid: 'u2' }, sent[0] ?? {}]))
    world.now = new Date(world.now.getTime() + 1)
    await send(world, csv([sent[1] ?? {}]))
    await zoeAppears(world)

    await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

    expect(await stored(world)).toMatchObject([{ billsec: Number(sent[1]?.billsec) }])
  },
)

const BOBS = { account_code: 'bob', billsec: '50' }

test.each([
  ['in documents one after the other', [[ZOES], [BOBS]]],
  ['in one document', [[ZOES, BOBS]]],
])('a retry does not replace a later version that was stored meanwhile (%s)', async (_which, sent) => {
  const world = await anOperator()
  for (const versions of sent) {
    await send(world, csv(versions))
    world.now = new Date(world.now.getTime() + 1)
  }
  await zoeAppears(world)

  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

  expect(retried).toEqual({ stored: 1, suspended: 0 })
  expect(await stored(world)).toMatchObject([{ billsec: 50, version: 2 }])
  expect(await send(world, csv([ZOES]))).toMatchObject({ duplicate: 1 })
})

test('a retry replaces an earlier version, and an unanswered one', async () => {
  const world = await anOperator()
  await send(world, csv([BOBS]))
  await send(world, csv([ZOES]))
  await send(world, csv([{ ...ZOES, uniqueid: 'u2' }]))
  await send(world, csv([{ ...BOBS, uniqueid: 'u2', billsec: '0', disposition: 'NO ANSWER' }]))
  await zoeAppears(world)

  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

  expect(await stored(world)).toMatchObject([{ billsec: Number(CALL.billsec) }])
  expect(await listCallsWithId(world.store, 'u2')).toMatchObject([{ billsec: Number(CALL.billsec) }])
})

test('suspended CDRs are listed in the order in which they came', async () => {
  const world = await anOperator()
  const numbers = Array.from({ length: 12 }, (_, n) => `3706000${String(n).padStart(4, '0')}`)
  await send(world, csv(numbers.map((src) => ({ ...ZOES, uniqueid: src, src }))))

  expect((await suspenseOf(world)).map(({ src }) => src)).toEqual(numbers)
})

test('a suspended CDR that comes twice in one document is stored once and leaves suspense', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  await zoeAppears(world)

  expect(await send(world, csv([{ account_code: 'zoe' }, { account_code: 'zoe' }]))).toMatchObject({
    stored: 1,
    duplicate: 1,
  })
  expect(await suspenseOf(world)).toEqual([])
})

const imported = (world: World, rows: Parameters<typeof importRows>[1], at = NOON) =>
  importRows({ store: world.store, clock: () => at }, rows)

const UNBLOCKED = [rate({ prefix: '1', tariff_rate: '0.03' })]
const BLOCKED = [...UNBLOCKED, rate({ prefix: '1202', tariff_rate: 'blocked' })]

test.each([
  ['customer', { account_code: 'bob' }, { rates: BLOCKED }],
  [
    'customer’s owner',
    { account_code: 'carol' },
    {
      tariffs: OWN_TARIFF,
      users: CAROL_BY_HER_OWN,
      rates: [...BLOCKED, rate({ tariff_id: '2', prefix: '1' })],
    },
  ],
])(
  'a call to a prefix that the tariff of the %s blocks is suspended until it is released',
  async (_who, said, rows) => {
    const world = await anOperator()
    await imported(world, rows, DAWN)
    await send(world, csv([said, { ...said, uniqueid: 'u2', billsec: '0', disposition: 'BUSY' }]))

    expect(await suspenseOf(world)).toMatchObject([
      {
        reason: 'blocked_destination',
        detail: expect.stringMatching(/^tariff 1 of account \d+ blocks the prefix 1202$/),
      },
    ])
    expect(await stored(world, 'u2')).toMatchObject([{ user_price: '0' }])

    await imported(world, { rates: UNBLOCKED })
    const request = { reasons: reasonsCuredBy(['rates']), after: '' }
    await retryBatches(await openMediation(world.store, world.now), request, () => true)
    expect(await suspenseOf(world)).toEqual([])
    expect(await stored(world)).toMatchObject([{ billsec: 60 }])
  },
)

test('a prefix that the provider blocks leaves its rate and price blank, and is counted', async () => {
  const world = await anOperator()
  await imported(world, {
    tariffs: OWN_TARIFF,
    providers: [{ id: '1', name: 'Potomac', tariff_id: '2' }],
    rates: [rate({ tariff_id: '2', prefix: '1202', tariff_rate: 'blocked' })],
  })
  const provider = 'Potomac'
  await send(world, csv([{ provider }, { provider, uniqueid: 'u2', billsec: '0', disposition: 'BUSY' }]))

  const [answered, busy] = await Promise.all(['u1', 'u2'].map((id) => listCallsWithId(world.store, id)))
  expect(answered).toMatchObject([{ provider_id: 1, user_price: '0.03', rated: 'user' }])
  expect([answered?.[0]?.provider_rate, answered?.[0]?.provider_price]).toEqual([undefined, undefined])
  expect(busy).toMatchObject([{ provider_price: '0', user_price: '0' }])
  expect(world.meter.noted).toMatchObject({ provider_blocked: 1 })
})

test.each([
  ['a CDR', csv([{ account_code: 'zoe' }]), 'u1'],
  ['the events of a dialog', { format: 'kamailio-json' as const, text: zoesDialog.join('\n') }, 'd1'],
])('%s that was suspended costs at a retry what it cost when the call began', async (_what, document, id) => {
  const world = await anOperator()
  await send(world, document)
  world.now = NOON
  await world.given({ rates: [rate({ prefix: '1', tariff_rate: '9' })] })
  await zoeAppears(world)

  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(await stored(world, id)).toMatchObject([{ billsec: 60, user_price: '0.03' }])
})

test('a retried CDR whose number had no rate at its start costs what it costs now', async () => {
  const world = await anOperator()
  await send(world, csv([{ dst: '442079460000' }]))
  expect(await reasonsOf(world)).toEqual(['unknown_rate'])
  world.now = NOON
  await world.given({ rates: ['1', '44'].map((prefix) => rate({ prefix, tariff_rate: '9' })) })

  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(await stored(world)).toMatchObject([{ user_price: '9' }])
})

test('a provider without a rate leaves its price blank, and is counted: the call is stored', async () => {
  const world = await anOperator()
  await imported(world, {
    tariffs: OWN_TARIFF,
    providers: [{ id: '1', name: 'Potomac', tariff_id: '2' }],
    rates: [rate({ tariff_id: '2', prefix: '44' })],
  })

  expect(await send(world, csv([{ provider: 'Potomac' }]))).toMatchObject({ stored: 1, suspended: 0 })
  const [call] = await listCallsWithId(world.store, 'u1')
  expect(call).toMatchObject({ provider_id: 1, user_price: '0.03', rated: 'user' })
  expect([call?.provider_rate, call?.provider_price]).toEqual([undefined, undefined])
  expect(world.meter.noted).toMatchObject({ provider_unrated: 1 })
})

test('a retry keeps an entry of suspense with an unknown format', async () => {
  const world = await anOperator()
  await send(world, csv([{ account_code: 'zoe' }]))
  const [entry] = await suspenseOf(world)
  await world.store.update(suspenseKeys.item(entry?.id ?? ''), { set: { format: 'of-tomorrow' } })

  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(retried).toEqual({ stored: 0, suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([{ format: 'of-tomorrow' }])
})

test('the next retry completes a removal that was interrupted between an entry and its parts', async () => {
  const world = await anOperator()
  const hash = (n: number) => createHash('sha256').update(String(n)).digest('hex')
  const userfield = Array.from({ length: 300 }, (_, n) => hash(n)).join('')
  const text = JSON.stringify({ ...CALL, accountcode: 'zoe', userfield })
  await send(world, { format: 'asterisk-json', text })
  await zoeAppears(world)
  const entries = await suspenseOf(world)
  expect(entries).toMatchObject([{ parts: { count: 1 } }])
  const { store } = world
  const dying = { ...store, removeBatch: () => Promise.reject(new Error('The process ended')) }

  const retried = retryEntries(await openMediation(dying, world.now), entries)
  await expect(retried).rejects.toThrow('The process ended')
  const left = await retryEntries(await openMediation(store, world.now), await suspenseOf(world))
  expect(left).toEqual({ stored: 1, suspended: 0 })
  expect((await world.dump()).filter(({ PK }) => PK.startsWith('SUSPENSE#'))).toEqual([])
  expect(await stored(world)).toEqual([FIRST_CALL])
})

test('a retry stores the last of several suspended versions of one call', async () => {
  for (const last of ['65', '66', '67', '68', '69', '70']) {
    const world = await anOperator()
    const said = { account_code: 'zoe' }
    await send(
      world,
      csv([
        { ...said, billsec: '61' },
        { ...said, billsec: '62' },
        { ...said, billsec: last },
      ]),
    )
    await zoeAppears(world)

    await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
    expect(await stored(world)).toMatchObject([{ billsec: Number(last) }])
  }
})

const TWO_DAYS = 2 * 86_400

const document = (method: string, seconds: number) =>
  ({ format: 'kamailio-json', text: dialogEvent(method, '200', seconds) }) as const

const overdue = async (world: World) => suspendOverdue(await openMediation(world.store, world.now))

test('events older than Intake_Join_Hours make a call, and are overdue by their arrival', async () => {
  const world = await anOperator()
  world.now = new Date(world.now.getTime() + TWO_DAYS * 1000)

  expect(await send(world, document('INVITE', 0))).toMatchObject({ pending: 1 })
  expect(await overdue(world)).toBe(0)
  expect(await send(world, document('BYE', 60))).toMatchObject({ stored: 1 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60 }])

  await send(world, { format: 'kamailio-json', text: dialogEvent('INVITE', '200', 0, { callid: 'd2' }) })
  world.now = new Date(world.now.getTime() + TWO_DAYS * 1000)
  expect(await overdue(world)).toBe(1)
})
