import { expect, test } from 'vitest'
import { carriedOut } from '#test/acts/carry-out.ts'
import { people } from '#test/examples/examples.ts'
import { rowsOfList } from '#test/listed.ts'
import { aWorld } from '#test/world.ts'
import { listWebhookDeliveries, listWebhooks } from '#tools/commands/webhooks/webhooks.ts'
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  resendWebhook,
  rotateWebhook,
  testWebhook,
} from './endpoint-acts.ts'

test('an endpoint is added, its secret shown once, listed, tested, rotated and removed', async () => {
  const world = await aWorld({ users: people })
  const { store, now, dump } = world
  const url = 'https://example.com/hook'
  const wanted = { url, events: 'balance.low, payment.recorded', owner: 'rick' }

  const { answer, secret } = await carriedOut(world, addWebhook, wanted)
  const { id } = answer

  expect(secret?.text).toMatch(/^whsec_[\w+/]{43}=$/)
  const row = { id, owner: '2', url, events: 'balance.low,payment.recorded', added: now.toISOString() }
  expect(await rowsOfList(await listWebhooks(store))).toEqual([
    { ...row, state: 'waits for the echo of its challenge' },
  ])
  await carriedOut(world, testWebhook, { id })
  expect((await dump()).filter(({ PK }) => PK === 'OUTBOX')).toMatchObject(
    Array(2).fill({ only: id, owner: 2, type: 'webhook.challenge' }),
  )
  await carriedOut(world, disableWebhook, { id })
  expect(await rowsOfList(await listWebhooks(store))).toMatchObject([{ state: 'disabled: by hand' }])
  await carriedOut(world, enableWebhook, { id })
  const rotated = await carriedOut(world, rotateWebhook, { id })
  expect(rotated.secret?.text).not.toBe(secret?.text)
  expect(await rowsOfList(await listWebhookDeliveries(store, id))).toEqual([])
  const resent = carriedOut(world, resendWebhook, { id, message: 'msg_x' })
  await expect(resent).rejects.toMatchObject({ code: 'unknown_delivery' })
  await carriedOut(world, removeWebhook, { id })
  await expect(carriedOut(world, testWebhook, { id })).rejects.toMatchObject({ code: 'unknown_name' })
})

test('only the operator has endpoints on this machine', async () => {
  const world = await aWorld({ users: people })
  await world.set({ Webhooks_On_This_Machine: 'on' })
  const add = (owner?: string) =>
    carriedOut(world, addWebhook, { url: 'http://127.0.0.1:9000/', events: 'all', owner })

  await expect(add('rick')).rejects.toMatchObject({
    code: 'unfit_url',
    values: { says: 'takes https, on port 443' },
  })
  expect((await add()).secret).toBeDefined()
})

test.each([
  [{ url: 'http://example.com/' }, 'unfit_url', 'url'],
  [{ events: 'balance.lowe' }, 'unknown_event', 'events'],
  [{ events: '' }, 'missing_value', 'events'],
  [{ owner: 'bob' }, 'owner_without_customers', 'owner'],
])('%o is refused: %s', async (change, code, field) => {
  const world = await aWorld({ users: people })
  const wanted = { url: 'https://example.com/', events: 'all', ...change }

  await expect(carriedOut(world, addWebhook, wanted)).rejects.toMatchObject({ code, field })
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('WEBHOOK'))).toEqual([])
})
