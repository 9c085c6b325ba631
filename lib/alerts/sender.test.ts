import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { carryOut } from '#lib/acts/act.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import { actingFor, anEndpoint } from '#test/acts/endpoints.ts'
import { aWorld, type World } from '#test/world.ts'
import { createLocalQueue, localQueueKey } from '#tools/server/local-queue.ts'
import { listDeliveries } from './delivery.ts'
import {
  changeEndpoint,
  consentingEndpoint,
  disabledEndpoint,
  type Endpoint,
  enabledEndpoint,
  findEndpoint,
  withNewSecret,
} from './endpoint.ts'
import { testWebhook } from './endpoint-acts.ts'
import { alertChange, alertKeys, eventOf, inOutbox, outboxKey, outboxOf } from './event.ts'
import type { EventType } from './event-types.ts'
import type { PostOutcome, PostWebhook } from './post.ts'
import { relayEvents } from './relay.ts'
import { WAITS_SECONDS, webhookSender } from './sender.ts'

const HOUR_MS = 3_600_000

/** An installation whose receiver answers as it is told to. It notes what it gets. */
async function aSender(
  answers: (posted: Parameters<PostWebhook>[0]) => PostOutcome | Promise<PostOutcome> = () => ({
    status: 200,
  }),
) {
  const world = await aWorld({}, {})
  const got: Parameters<PostWebhook>[0][] = []
  const queue = createLocalQueue(world.store, () => world.now)
  const sender = webhookSender({
    ...world.services,
    post: async (posted) => {
      got.push(posted)
      return answers(posted)
    },
    hide: queue.hide,
    isLocal: true,
  })
  const relay = () => relayEvents(world.store, queue.send, () => world.now)
  return {
    ...world,
    got,
    relay,
    /** Relays and sends until nothing is visible in the queue. */
    run: async () => {
      await relay()
      while ((await queue.consume(sender)) > 0);
    },
    later: (milliseconds: number) => {
      world.now = new Date(world.now.getTime() + milliseconds)
    },
    world,
    queue,
    sender,
  }
}

async function endpoint(
  { store, now }: World,
  owner = 0,
  events: readonly EventType[] = ['payment.recorded'],
): Promise<Endpoint> {
  const url = `https://example.com/${owner}`
  const added = await anEndpoint({ store, now }, { owner, url, events })
  if (added.challenge === undefined) return added
  // Its receiver has consented a while ago.
  await changeEndpoint(store, added, consentingEndpoint)
  await store.removeBatch((await store.list(outboxKey.range(owner))).map(keyIn))
  await store.removeBatch([alertKeys.item(`webhooks-${owner}`)])
  const { challenge: _, ...proved } = added
  return { ...proved, version: 2 }
}

async function tell(
  { store, now }: World,
  owner: number,
  subject: string,
  type: EventType = 'payment.recorded',
) {
  const changes = outboxOf(await settingsOf(store), { type, owner, at: now, subject, data: { subject } })
  if (changes.length > 0) await store.transact(changes)
  return changes.length
}

test('an event is told once to each subscribed endpoint, signed so that the judge accepts it', async () => {
  const { world, run, got, store } = await aSender()
  const one = await endpoint(world)
  await endpoint(world, 0, ['invoice.issued'])

  await tell(world, 0, 'payment 1')
  await run()
  await run()

  expect(got).toHaveLength(1)
  vi.setSystemTime(world.now)
  expect(new Webhook(one.secret).verify(got[0]?.body ?? '', got[0]?.headers ?? {})).toEqual({
    type: 'payment.recorded',
    timestamp: '2026-03-10T12:00:00.000Z',
    data: { subject: 'payment 1' },
  })
  expect(await listDeliveries(store, one.id, 10)).toMatchObject([
    { answer: '200', outcome: 'delivered', tries: 1, type: 'payment.recorded' },
  ])
  expect((await world.dump()).filter(({ PK }) => /OUTBOX|LOCALQUEUE/.test(String(PK)))).toEqual([])
})

test("a reseller's endpoint gets its customers' events, an admin's everybody's", async () => {
  const { world, run, got } = await aSender()
  await endpoint(world, 0)
  await endpoint(world, 2)
  await endpoint(world, 3)

  for (const owner of [0, 2]) await tell(world, owner, `payment of ${owner}`)
  await run()

  expect(got.map(({ url, body }) => `${url} ${JSON.parse(body).data.subject}`).sort()).toEqual([
    'https://example.com/0 payment of 0',
    'https://example.com/0 payment of 2',
    'https://example.com/2 payment of 2',
  ])
})

test('nothing is written while nobody who may hear of it subscribed', async () => {
  const { world, store } = await aSender()
  expect(await tell(world, 2, 'a')).toBe(0)
  const one = await endpoint(world, 2)
  expect(await tell(world, 2, 'b')).toBe(1)
  expect(await tell(world, 3, 'c')).toBe(0)
  expect(await tell(world, 2, 'd', 'invoice.issued')).toBe(0)

  await changeEndpoint(store, one, disabledEndpoint(world.now, 'by hand'))
  expect(await tell(world, 2, 'e')).toBe(0)
  await changeEndpoint(store, one, enabledEndpoint)
  expect(await tell(world, 2, 'f')).toBe(1)
  await changeEndpoint(store, one, () => 'removed')
  expect(await tell(world, 2, 'g')).toBe(0)
  expect((await settingsOf(store)).subscribed).toEqual({})
})

test('an endpoint on this machine is posted to for the operator alone', async () => {
  const { world, run, got } = await aSender()
  await world.set({ Webhooks_On_This_Machine: 'on' })
  for (const owner of [0, 2]) await endpoint(world, owner)

  await tell(world, 2, 'p')
  await run()

  expect(got.map(({ url, isTest }) => [url, isTest]).sort()).toEqual([
    ['https://example.com/0', true],
    ['https://example.com/2', false],
  ])
})

test('an event costs two write units in the transaction of its change', async () => {
  const { world, meter, store } = await aSender()
  await endpoint(world)
  const before = meter.spent.write

  await store.transact(
    outboxOf(await settingsOf(store), {
      type: 'payment.recorded',
      owner: 0,
      at: world.now,
      subject: 'p',
      data: { payment: 1, amount: '10.00' },
    }),
  )

  expect(meter.spent.write - before).toBe(2)
})

test('a failure is tried 8 times over 28 hours with one id, and then it is a dead letter', async () => {
  const { world, run, got, later, store } = await aSender(() => ({ status: 500 }))
  const one = await endpoint(world)
  await tell(world, 0, 'p')
  await run()

  for (const seconds of WAITS_SECONDS) {
    const before = got.length
    later((seconds - 1) * 1000)
    await run()
    expect(got).toHaveLength(before)
    later(1000)
    await run()
    expect(got).toHaveLength(before + 1)
  }

  expect(Math.round(WAITS_SECONDS.reduce((sum, seconds) => sum + seconds) / 3600)).toBe(28)
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(await listDeliveries(store, one.id, 10)).toMatchObject([
    { answer: '500', outcome: 'failed', tries: 8 },
  ])
  later(HOUR_MS)
  await run()
  expect(await store.list(localQueueKey.range())).toEqual([])
})

test.each<[string, PostOutcome]>([
  ['301', { status: 301 }],
  ['404', { status: 404 }],
  ['no answer within 5 s', { error: 'no answer within 5 s' }],
])('%s is tried again', async (answer, outcome) => {
  const { world, run, got, later, store } = await aSender(() => (got.length > 1 ? { status: 204 } : outcome))
  const one = await endpoint(world)
  await tell(world, 0, 'p')

  await run()
  expect(await listDeliveries(store, one.id, 1)).toMatchObject([{ answer, outcome: 'waiting' }])
  later(5000)
  await run()
  expect(await listDeliveries(store, one.id, 1)).toMatchObject([
    { answer: '204', outcome: 'delivered', tries: 2 },
  ])
  expect((await findEndpoint(store, 0, one.id))?.failing_since).toBeUndefined()
})

test('410 disables an endpoint at once; it can be tested and enabled again', async () => {
  let status = 410
  const { world, run, got, store } = await aSender(() => ({ status }))
  const one = await endpoint(world)
  await tell(world, 0, 'p')
  await tell(world, 0, 'q')

  await run()

  expect(await findEndpoint(store, 0, one.id)).toMatchObject({ disabled: { why: 'it answered 410' } })
  expect(await store.list(localQueueKey.range())).toEqual([])
  status = 200
  const before = got.length
  const test = eventOf({ type: 'webhook.test', owner: 0, at: world.now, subject: 't', data: {} })
  await store.transact([inOutbox({ ...test, only: one.id }, world.now)])
  await run()
  expect(got).toHaveLength(before + 1)
})

test('three days of nothing but failures disable an endpoint; one success in between does not', async () => {
  let status = 500
  const { world, run, later, store } = await aSender(() => ({ status }))
  const one = await endpoint(world)
  const fail = async (days: number) => {
    later(days * 24 * HOUR_MS)
    await tell(world, 0, `p ${world.now.getTime()}`)
    await run()
    return (await findEndpoint(store, 0, one.id))?.disabled
  }

  for (const days of [0, 2]) expect(await fail(days)).toBeUndefined()
  status = 200
  expect(await fail(0.5)).toBeUndefined()
  status = 500
  for (const days of [0.5, 1, 1.9]) expect(await fail(days)).toBeUndefined()
  expect(await fail(0.2)).toMatchObject({ why: 'nothing but failures for 3 days, last 500' })
})

test('two secrets sign while they are changed, one after a day', async () => {
  const { world, run, got, later, store } = await aSender()
  const one = await endpoint(world)
  await changeEndpoint(store, one, withNewSecret(world.now))

  for (const hours of [23, 2]) {
    later(hours * HOUR_MS)
    await tell(world, 0, `p ${hours}`)
    await run()
  }

  const signatures = got.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
  expect(signatures).toEqual([2, 1])
})

test('silent endpoints of a reseller keep the webhook of the operator waiting neither for a turn nor in the outbox', async () => {
  let giveUp = (_outcome: PostOutcome) => {}
  const silent = new Promise<PostOutcome>((resolve) => {
    giveUp = resolve
  })
  const { world, relay, queue, sender, got } = await aSender(({ url }) =>
    url.endsWith('/2') ? silent : { status: 200 },
  )
  for (let index = 0; index < 10; index += 1) await endpoint(world, 2)
  for (let index = 0; index < 3; index += 1) await tell(world, 2, `p ${index}`)
  await relay()
  const stuck = queue.consume(sender)
  await vi.waitFor(() => expect(got).toHaveLength(5))

  await endpoint(world, 0)
  await tell(world, 0, 'of the operator')
  await relay()
  expect(await queue.consume(sender)).toBe(1)

  expect(got.map(({ url }) => url)).toEqual([
    ...Array(5).fill('https://example.com/2'),
    'https://example.com/0',
  ])
  giveUp({ error: 'no answer within 5 s' })
  expect(await stuck).toBe(5)
})

const added = (world: World, owner: number) => anEndpoint(world, { owner, events: ['payment.recorded'] })

test("a reseller's new endpoint gets no event before it echoes its challenge, the operator's at once", async () => {
  let echo = (body: string) => `{"seen": ${body}}`
  const { world, run, got, later, store } = await aSender(({ body }) => ({ status: 200, body: echo(body) }))
  const [own, resellers] = [await added(world, 0), await added(world, 2)]
  const stateOf = async () => (await findEndpoint(store, 2, resellers.id))?.challenge

  expect([own.challenge, await tell(world, 2, 'p')]).toEqual([undefined, 1])
  await run()
  const typesOf = () => got.map(({ body }) => JSON.parse(body).type)
  expect(typesOf().sort()).toEqual(['payment.recorded', 'webhook.challenge'])
  expect(await listDeliveries(store, resellers.id, 10)).toMatchObject([
    { answer: 'the answer is not the challenge', outcome: 'waiting' },
  ])
  expect(await stateOf()).toBe(resellers.challenge)

  echo = (body) => `${JSON.parse(body).data.challenge}\n`
  later(5000)
  await run()
  expect(await stateOf()).toBeUndefined()
  expect(await tell(world, 2, 'q')).toBe(1)
  await run()
  expect(typesOf().filter((type) => type === 'payment.recorded')).toHaveLength(3)
})

test('an owner tests, adds and sends again ten times a minute, also at once, and others go on', async () => {
  const { world, store, later } = await aSender()
  const resellers = await added(world, 2)
  const { id } = resellers
  const send = async () => carryOut(testWebhook, await actingFor(world, 2), { id })

  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => send()))

  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toEqual(
    Array(3).fill(expect.objectContaining({ reason: expect.objectContaining({ code: 'too_many_by_hand' }) })),
  )
  expect(await store.list(outboxKey.range())).toHaveLength(10)
  await expect(added(world, 2)).rejects.toMatchObject({ code: 'too_many_by_hand' })
  later(60_000)
  await send()
})

test('one try at a time is under way for an endpoint that fails', async () => {
  let giveUp = (_outcome: PostOutcome) => {}
  const silent = new Promise<PostOutcome>((resolve) => {
    giveUp = resolve
  })
  const { world, run, got, later, queue, sender } = await aSender(() =>
    got.length > 3 ? silent : { status: 500 },
  )
  await endpoint(world)
  for (let index = 0; index < 3; index += 1) await tell(world, 0, `p ${index}`)
  await run()
  later(5000)

  const stuck = queue.consume(sender)
  await vi.waitFor(() => expect(got).toHaveLength(4))
  expect(await queue.consume(sender)).toBe(0)

  giveUp({ status: 200 })
  expect(await stuck).toBe(1)
  await run()
  expect(got).toHaveLength(6)
})

test('the owners take turns in the outbox, and those of an earlier version go on, too', async () => {
  const { world, store, queue } = await aSender()
  for (const owner of [0, 2]) await endpoint(world, owner, ['call.ended'])
  const event = (owner: number, subject: string) =>
    eventOf({ type: 'call.ended', owner, at: world.now, subject, data: {} })
  await store.putBatch([
    ...Array.from({ length: 250 }, (_, index) => event(1, `flood ${index}`)).map((one) => ({
      ...outboxKey(1, world.now.getTime(), one.id),
      ...one,
    })),
    { PK: 'OUTBOX', SK: `00${world.now.getTime()}#msg_earlier`, ...event(2, 'earlier') },
    { ...outboxKey(2, world.now.getTime(), 'msg_2'), ...event(2, 'of the reseller') },
  ])
  const owners: number[] = []

  const count = await relayEvents(
    store,
    async (messages) => {
      owners.push(
        ...messages.filter((one) => one.owner === 2 || one.event.owner === 1).map((one) => one.owner),
      )
      await queue.send(messages)
    },
    () => world.now,
  )

  expect(count).toBe(252)
  expect(owners.indexOf(2)).toBeLessThan(110)
  expect(owners.filter((one) => one === 2)).toHaveLength(2)
})

test('events of an account that wait together leave in the order of their time', async () => {
  const { world, store, later } = await aSender()
  await endpoint(world, 0, ['call.ended'])
  const subjects = ['1', '2', '3', '4', '5', '6']
  for (const subject of subjects) {
    later(1000)
    const event = eventOf({ type: 'call.ended', owner: 0, at: world.now, subject, data: { subject } })
    const { update, to } = alertChange(10, { set: {}, when: {}, at: world.now, events: [event] })
    await store.update(update, to)
  }

  const left: string[] = []
  await relayEvents(
    store,
    async (messages) => left.push(...messages.map(({ event }) => JSON.parse(event.body).data.subject)),
    () => world.now,
  )

  expect(left).toEqual(subjects)
})

test('endpoints of one owner that change at once all count', async () => {
  const { world, store } = await aSender()
  const events: EventType[] = ['payment.recorded', 'invoice.issued', 'call.ended', 'balance.low']

  await Promise.all(events.map((type) => endpoint(world, 2, [type])))

  expect([...((await settingsOf(store)).subscribed[2] ?? '')].sort()).toEqual(['e', 'i', 'l', 'p'])
  for (let index = 4; index < 10; index += 1) await endpoint(world, 2)
  await expect(endpoint(world, 2)).rejects.toMatchObject({ code: 'too_many_webhooks' })
})
