import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { aFailingClient, faultyEndpoint, type Mishap, type MishapName } from '#test/faults/faulty-endpoint.ts'
import { createTable } from '#tools/server/engine.ts'
import type { Key } from './keys.ts'
import { absent, absentOrBelow, is } from './requests/changes.ts'
import { createClient } from './requests/client.ts'
import { createMeter } from './requests/meter.ts'
import { ConditionFailed, retryingRaces } from './requests/retries.ts'
import { createStore } from './store.ts'

/** A store whose first requests fail. */
async function aStore(plan: readonly MishapName[] = []) {
  const tableName = `store-${randomUUID()}`
  await createTable(createClient({ tableName, endpoint: inject('endpoint') }), tableName)
  const meter = createMeter()
  return { meter, tableName, store: createStore({ client: await aFailingClient(plan), tableName, meter }) }
}

const item = (name: string, rest: object = {}) => ({ PK: 'items', SK: name, ...rest })

test('items are returned as they were stored, in the order of the keys', async () => {
  const { store } = await aStore()
  const kept = item('a', { whole: 7, money: '0.10', list: [['x', '']], flag: true })
  await store.transact([{ put: { ...kept, nothing: undefined } as Key }, { put: item('b') }])

  expect(await store.getMany([item('b'), item('missing'), item('a')])).toEqual([item('b'), undefined, kept])
})

test('more than a hundred keys are read in one sequential round trip', async () => {
  const { store, meter } = await aStore()
  await store.transact(Array.from({ length: 100 }, (_, n) => ({ put: item(String(n)) })))
  const before = meter.spent.roundTrips

  const found = await store.getMany(Array.from({ length: 150 }, (_, n) => item(String(n))))

  expect(found.filter(Boolean)).toHaveLength(100)
  expect(meter.spent.roundTrips - before).toBe(1)
})

test('a key that DynamoDB cannot hold finds nothing', async () => {
  const { store } = await aStore()

  expect(
    await store.getMany([
      { PK: 'x'.repeat(2049), SK: 'x' },
      { PK: '\ud800', SK: 'x' },
    ]),
  ).toEqual([undefined, undefined])
})

test('a transaction is all or nothing, and its error names the failed condition', async () => {
  const { store } = await aStore()
  await store.transact([{ put: item('taken') }])

  const changes = [{ put: item('new') }, { put: item('taken'), when: { PK: absent } }]

  await expect(store.transact(changes)).rejects.toMatchObject({ name: 'ConditionFailed', failed: [1] })
  expect(await store.get(item('new'))).toBeUndefined()
})

test('an update adds, sets and removes, and returns the item', async () => {
  const { store } = await aStore()
  await store.transact([{ put: item('a', { n: 1, gone: 'x' }) }])

  expect(
    await store.update(item('a'), { add: { n: 2 }, set: { name: 'x', gone: undefined } }, { n: is(1) }),
  ).toEqual(item('a', { n: 3, name: 'x' }))
  await expect(store.update(item('a'), { add: { n: 1 } }, { n: absentOrBelow(3) })).rejects.toThrow(
    ConditionFailed,
  )
})

test('a query reads a range of a partition, page by page, and only the pages that are used', async () => {
  const { store, meter } = await aStore()
  await store.transact(Array.from({ length: 9 }, (_, n) => ({ put: item(`k${n}`) })))
  const names = async (query: object) =>
    (await store.list({ partition: 'items', ...query })).map(({ SK }) => SK)

  expect(await names({ between: ['k3', 'k5'] })).toEqual(['k3', 'k4', 'k5'])
  expect(await names({ prefix: 'k8' })).toEqual(['k8'])
  expect((await names({ newestFirst: true, pageSize: 2 })).slice(0, 2)).toEqual(['k8', 'k7'])
  const before = meter.spent.requests
  for await (const page of store.pages({ partition: 'items', pageSize: 2 })) {
    expect(page).toHaveLength(2)
    break
  }
  expect(meter.spent.requests - before).toBe(1)
})

test('parallel requests are one round trip; sequential ones are several', async () => {
  const { store, meter } = await aStore()

  await Promise.all([store.get(item('a')), store.get(item('b'))])
  await store.get(item('c'))

  expect(meter.spent).toMatchObject({ requests: 3, roundTrips: 2, read: 3 })
})

test('a transaction whose answer is lost is carried out once, also after throttling', async () => {
  const { store, tableName } = await aStore()
  const mishaps: Mishap[] = ['answer lost', { refusal: 'ThrottlingException' }]
  const { origin, arrived } = await faultyEndpoint(() => mishaps.shift())
  const client = createClient({ tableName, endpoint: origin })
  const losing = createStore({ client, tableName, meter: createMeter() })

  await losing.transact([{ update: item('a'), to: { add: { n: 1 } } }])

  expect(await store.get(item('a'))).toEqual(item('a', { n: 1 }))
  expect(new Set(arrived.map(({ body }) => body)).size).toBe(1)
})

test('an update is tried again after a conflict', async () => {
  const { store } = await aStore(['conflict', 'conflict'])

  expect(await store.update(item('a'), { add: { n: 1 } })).toEqual(item('a', { n: 1 }))
})

test('a transaction that is still in progress is tried again', async () => {
  const { store } = await aStore(['in progress', 'in progress'])

  await store.transact([{ put: item('a') }, { put: item('b') }])

  expect(await store.get(item('b'))).toEqual(item('b'))
})

test('a transaction that conflicts with another is repeated', async () => {
  const { store } = await aStore(['conflict', 'conflict', 'conflict'])

  await store.transact([{ put: item('a') }, { put: item('b') }])

  expect(await store.get(item('b'))).toEqual(item('b'))
})

test('an access pattern that reads, decides and writes is repeated when its condition fails', async () => {
  const { store } = await aStore()
  const increment = async () => {
    const before = (await store.get(item('counter')))?.['n'] as number | undefined
    const when = before === undefined ? { n: absent } : { n: is(before) }
    await store.transact([{ put: item('counter', { n: (before ?? 0) + 1 }), when }])
  }

  await Promise.all(Array.from({ length: 12 }, () => retryingRaces(store, increment)))

  expect(await store.get(item('counter'))).toMatchObject({ n: 12 })
})
