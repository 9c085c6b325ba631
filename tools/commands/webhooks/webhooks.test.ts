import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { rowsOfList } from '#test/listed.ts'
import { aWorld } from '#test/world.ts'
import {
  addWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  sendAgain,
  switchWebhook,
  testWebhook,
} from './webhooks.ts'

test('an endpoint is added, its secret shown once, listed, tested, rotated and removed', async () => {
  const { store, now, dump } = await aWorld({ users: people })
  const act = { as: undefined, now }
  const url = 'https://example.com/hook'

  const [first = ''] = await addWebhook(
    store,
    { url, events: 'balance.low, payment.recorded', owner: 'rick' },
    act,
  )
  const [id = '', secret = ''] = first.split(' ')

  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const row = { id, owner: '2', url, events: 'balance.low,payment.recorded', added: now.toISOString() }
  expect(await rowsOfList(await listWebhooks(store))).toEqual([
    { ...row, state: 'waits for the echo of its challenge' },
  ])
  expect(await testWebhook(store, id, act)).toContain('waits')
  expect((await dump()).filter(({ PK }) => PK === 'OUTBOX')).toMatchObject(
    Array(2).fill({ only: id, owner: 2, type: 'webhook.challenge' }),
  )
  await switchWebhook('disabled')(store, id, act)
  expect(await rowsOfList(await listWebhooks(store))).toMatchObject([{ state: 'disabled: by hand' }])
  await switchWebhook('enabled')(store, id, act)
  const [second = ''] = await rotateWebhook(store, id, act)
  expect(second.split(' ')[1]).not.toBe(secret)
  expect(await rowsOfList(await listWebhookDeliveries(store, id))).toEqual([])
  await expect(sendAgain(store, { id, message: 'msg_x' }, act)).rejects.toThrow('Nothing was sent')
  expect(await removeWebhook(store, id, act)).toBe(`Removed ${id}`)
  await expect(testWebhook(store, id, act)).rejects.toThrow('npx tollgate webhooks list')
})

test('only the operator has endpoints on this machine', async () => {
  const { store, now, set } = await aWorld({ users: people })
  await set({ Webhooks_On_This_Machine: 'on' })
  const add = (owner?: string) =>
    addWebhook(store, { url: 'http://127.0.0.1:9000/', events: 'all', owner }, { as: undefined, now })

  await expect(add('rick')).rejects.toThrow('takes https, on port 443')
  expect(await add()).toHaveLength(2)
})

test.each([
  [{ url: 'http://example.com/' }, 'the URL "http://example.com/" takes https, on port 443'],
  [{ events: 'balance.lowe' }, 'there is no event "balance.lowe": use some of balance.low'],
  [{ owner: 'bob' }, 'bob is neither a reseller nor a partner'],
])('%o is refused: %s', async (change, reason) => {
  const { store, now, dump } = await aWorld({ users: people })
  const wanted = { url: 'https://example.com/', events: 'all', ...change }

  await expect(addWebhook(store, wanted, { as: undefined, now })).rejects.toThrow(reason)
  expect((await dump()).filter(({ PK }) => String(PK).startsWith('WEBHOOK'))).toEqual([])
})
