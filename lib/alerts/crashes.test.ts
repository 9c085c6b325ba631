import { expect, test } from 'vitest'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { aWorld } from '#test/world.ts'
import { createLocalQueue } from '#tools/server/local-queue.ts'
import { outboxOf } from './event.ts'
import { relayEvents } from './relay.ts'
import { webhookSender } from './sender.ts'

class Killed extends Error {}

/** Numbers of a linear congruential generator, so that a failure comes again. */
function drawnNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

/** A store that dies at its next request, before or after it is carried out, once its time has come. */
function dying(store: Store, isDue: () => boolean): Store {
  const fatal =
    <A extends unknown[], R>(request: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isDue()) throw new Killed('before')
      const answer = await request(...args)
      if (isDue()) throw new Killed('after')
      return answer
    }
  const { get, getMany, list, firstPage, update, count, transact, putBatch, removeBatch } = store
  const requests = { get, getMany, list, firstPage, update, count, transact, putBatch, removeBatch }
  const deadly = Object.entries(requests).map(([name, request]) => [name, fatal(request as never)])
  return { ...store, ...Object.fromEntries(deadly) }
}

/** The number of kills; `TOLLGATE_CRASHES` changes it. */
const CRASHES = Number(process.env['TOLLGATE_CRASHES'] ?? 200)

test('no event is lost however often the relay and the sender are killed, at any request', async () => {
  const world = await aWorld()
  const { store } = world
  const draw = drawnNumbers(58)
  await anEndpoint(world, { events: ['payment.recorded'] })
  const settings = await settingsOf(store)
  const [sent, received] = [new Set<string>(), new Map<string, number>()]
  let [requestsLeft, crashes] = [0, 0]

  const live = async () => {
    const mortal = dying(store, () => requestsLeft-- <= 0)
    const queue = createLocalQueue(mortal, () => world.now)
    const sender = webhookSender('send_webhooks', {
      openStore: () => mortal,
      clock: () => world.now,
      log: () => {},
      post: async ({ headers }) => {
        const id = headers['webhook-id'] ?? ''
        received.set(id, (received.get(id) ?? 0) + 1)
        return { status: draw(5) === 0 ? 500 : 204 }
      },
      hide: queue.hide,
      isLocal: false,
    })
    await relayEvents(mortal, queue.send, () => world.now)
    while ((await queue.consume(sender)) > 0);
  }

  while (crashes < CRASHES) {
    const subject = `payment ${sent.size}`
    const event = { type: 'payment.recorded', owner: 0, at: world.now, subject, data: {} } as const
    const [change] = outboxOf(settings, event)
    if (change && draw(3) === 0) {
      await store.transact([change])
      sent.add(String('put' in change && change.put['id']))
    }
    requestsLeft = draw(25)
    await live().catch(() => {
      crashes += 1
    })
    world.now = new Date(world.now.getTime() + 31_000)
  }
  for (let hours = 0; hours < 40; hours += 1) {
    requestsLeft = Number.POSITIVE_INFINITY
    await live()
    world.now = new Date(world.now.getTime() + 3_600_000)
  }

  const lost = [...sent].filter((id) => !received.has(id))
  expect(lost).toEqual([])
  expect(sent.size).toBeGreaterThan(CRASHES / 20)
  if (CRASHES > 1000)
    process.stdout.write(
      `${crashes} crashes: ${sent.size} events, ${[...received.values()].reduce((sum, n) => sum + n, 0)} posts, ${lost.length} lost\n`,
    )
}, 3_600_000)
