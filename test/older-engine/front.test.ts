import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import { createStore } from '#lib/store/store.ts'
import { aWorld } from '#test/world.ts'
import { startFront } from './front.ts'

async function aStoreBehindFront() {
  const { table, store } = await aWorld()
  const front = await startFront(inject('endpoint'))
  onTestFinished(front.stop)
  const { tableName } = table
  const client = createClient({ tableName, endpoint: front.endpoint })
  return { direct: store, store: createStore({ client, tableName, meter: createMeter() }) }
}

const key = (n: number) => ({ PK: 'long', SK: String(n).padStart(3, '0') })

const counts = Array.from({ length: 25 }, (_, n) => ({
  update: key(n),
  to: { set: { name: '' }, add: { count: 1 } },
  when: { count: { kind: 'absent' } as const },
}))

const list = async ({ direct }: Awaited<ReturnType<typeof aStoreBehindFront>>) =>
  (await direct.list({ partition: 'long' })).map(({ count }) => Number(count))

test('a long transaction is carried out in parts, and its empty texts come back', async () => {
  const behind = await aStoreBehindFront()

  await behind.store.transact(counts)

  expect(await list(behind)).toEqual(counts.map(() => 1))
  expect(await behind.store.get(key(24))).toMatchObject({ name: '' })
})

test('a long transaction whose conditions fail changes nothing, and names them', async () => {
  const behind = await aStoreBehindFront()
  await behind.store.transact(counts.slice(13, 15))

  await expect(behind.store.transact(counts)).rejects.toMatchObject({ failed: [13, 14] })
  expect(await list(behind)).toEqual([1, 1])
})

test('of long transactions at the same time one is carried out', async () => {
  const behind = await aStoreBehindFront()

  const outcomes = await Promise.allSettled([1, 2, 3].map(() => behind.store.transact(counts)))

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual(
    Array(2).fill(expect.any(ConditionFailed)),
  )
  expect(await list(behind)).toEqual(counts.map(() => 1))
})

test('a slow engine is waited for, and asked once', async () => {
  let asked = 0
  const engine = createServer(async (_request, response) => {
    asked += 1
    await setTimeout(3500)
    response.end('{"TableNames":[]}')
  })
  await once(engine.listen(0, '127.0.0.1'), 'listening')
  const front = await startFront(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await front.stop()
    engine.close()
  })

  const answer = createClient({ tableName: '', endpoint: front.endpoint }).send(new ListTablesCommand({}))

  expect(await answer).toMatchObject({ TableNames: [] })
  expect(asked).toBe(1)
})
