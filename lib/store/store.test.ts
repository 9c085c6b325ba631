import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { AwsError } from '#lib/aws/errors.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { losingAnswers } from '#lib/testing/lost-answers.ts'
import { type Client, createClient, type Send } from './client.ts'
import { absent, absentOrBelow, is } from './conditions.ts'
import type { Key } from './keys.ts'
import { createMeter } from './meter.ts'
import { createStore } from './store.ts'
import { ConditionFailed, retryingRaces } from './transaction-errors.ts'

async function aStore(wrap: (client: Client) => { send: Send } = (client) => client) {
  const tableName = `store-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const meter = createMeter()
  return { meter, tableName, store: createStore({ client: wrap(client), tableName, meter }) }
}

const item = (name: string, rest: object = {}) => ({ PK: 'items', SK: name, ...rest })

test('items come back as they were stored, in the order they are asked for', async () => {
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

test('a key that DynamoDB could not hold names nothing', async () => {
  const { store } = await aStore()

  expect(
    await store.getMany([
      { PK: 'x'.repeat(2049), SK: 'x' },
      { PK: '\ud800', SK: 'x' },
    ]),
  ).toEqual([undefined, undefined])
})

test('a transaction is all or nothing, and says which condition failed', async () => {
  const { store } = await aStore()
  await store.transact([{ put: item('taken') }])

  const changes = [{ put: item('new') }, { put: item('taken'), when: { PK: absent } }]

  await expect(store.transact(changes)).rejects.toMatchObject({ name: 'ConditionFailed', failed: [1] })
  expect(await store.get(item('new'))).toBeUndefined()
})

test('an update adds, sets and removes, and answers the item', async () => {
  const { store } = await aStore()
  await store.transact([{ put: item('a', { n: 1, gone: 'x' }) }])

  expect(
    await store.update(item('a'), { add: { n: 2 }, set: { name: 'x', gone: undefined } }, { n: is(1) }),
  ).toEqual(item('a', { n: 3, name: 'x' }))
  await expect(store.update(item('a'), { add: { n: 1 } }, { n: absentOrBelow(3) })).rejects.toThrow(
    ConditionFailed,
  )
})

test('a query reads a stretch of a partition, page by page, and stops when nobody asks', async () => {
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

test('requests that are under way together are one round trip; those that follow one another are several', async () => {
  const { store, meter } = await aStore()

  await Promise.all([store.get(item('a')), store.get(item('b'))])
  await store.get(item('c'))

  expect(meter.spent).toMatchObject({ requests: 3, roundTrips: 2, read: 3 })
})

/** Answers the first transactions as DynamoDB does when another one holds the same item: the engine never would. */
const inConflict = (times: number) => (client: Client) => {
  let left = times
  const send: Send = async (operation, input) => {
    left -= 1
    if (left < 0) return client.send(operation, input)
    const document = { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] }
    throw new AwsError('TransactionCanceledException', 'conflict', { status: 400, document })
  }
  return { send }
}

test('a transaction whose answer is lost is carried out once, after too much load too', async () => {
  const lost = losingAnswers(inject('endpoint'), () => requests++ === 0)
  const { store, tableName } = await aStore()
  let requests = 0
  let refused = 0
  const { send } = createClient({ tableName, endpoint: await lost })
  const overloaded: Send = async (operation, input) => {
    const answer = await send(operation, input)
    if (refused++ === 0) throw new AwsError('ThrottlingException', 'Too much', { status: 400 })
    return answer
  }
  const losing = createStore({ client: { send: overloaded }, tableName, meter: createMeter() })

  await losing.transact([{ update: item('a'), to: { add: { n: 1 } } }])

  expect(await store.get(item('a'))).toEqual(item('a', { n: 1 }))
})

test.each(['TransactionConflictException', 'TransactionInProgressException'])(
  'an update is tried again after %s',
  async (name) => {
    let left = 2
    const { store } = await aStore(({ send }) => ({
      send: async (operation, input) => {
        if (operation === 'UpdateItem' && left-- > 0) throw new AwsError(name, 'Later', { status: 400 })
        return send(operation, input)
      },
    }))

    expect(await store.update(item('a'), { add: { n: 1 } })).toEqual(item('a', { n: 1 }))
  },
)

test('a transaction in conflict with another is tried again', async () => {
  const { store } = await aStore(inConflict(3))

  await store.transact([{ put: item('a') }, { put: item('b') }])

  expect(await store.get(item('b'))).toEqual(item('b'))
})

test('who reads, decides and writes does all of it again when the world has moved', async () => {
  const { store } = await aStore()
  const increment = async () => {
    const before = (await store.get(item('counter')))?.['n'] as number | undefined
    const when = before === undefined ? { n: absent } : { n: is(before) }
    await store.transact([{ put: item('counter', { n: (before ?? 0) + 1 }), when }])
  }

  await Promise.all(Array.from({ length: 12 }, () => retryingRaces(increment)))

  expect(await store.get(item('counter'))).toMatchObject({ n: 12 })
})
