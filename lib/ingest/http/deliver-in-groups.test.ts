import { expect, test } from 'vitest'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { csv } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { aWorld, type World } from '#test/world.ts'
import { deliverInGroups } from './deliver-in-groups.ts'
import { deliverToTable } from './deliver-to-table.ts'

const documentOf = (uniqueid: string, account_code = 'nobody'): CdrDocument => ({
  format: 'csv',
  source: 'gw',
  zone: 'UTC',
  text: csv([{ uniqueid, account_code }]),
})

const ids = Array.from({ length: 10 }, (_, index) => `u${index}`)

/** Delivers ten documents at once. Returns how many requests to the table they took. */
async function requestsOf(world: World, deliver = deliverInGroups()): Promise<number> {
  const meter = createMeter()
  const store = world.services.openStore(meter)
  await Promise.all(ids.map((id) => deliver(store, world.now, documentOf(id))))
  return meter.spent.requests
}

test('ten documents at once are mediated as one batch, and store what ten alone store', async () => {
  const [together, alone] = [await aWorld(), await aWorld()]

  const requests = await requestsOf(together)
  const requestsAlone = await requestsOf(alone, deliverToTable)

  expect((await suspenseOf(together)).map(({ id }) => id).sort()).toEqual(
    (await suspenseOf(alone)).map(({ id }) => id).sort(),
  )
  expect(await suspenseOf(together)).toHaveLength(ids.length)
  expect(requests).toBeLessThanOrEqual(Math.ceil(requestsAlone / 4))
})

/** The store of a request that fails at the table. */
const aBrokenStore = (world: World): Store =>
  world.services.openStore({
    ...createMeter(),
    start: () => {
      throw new Error('The table is gone')
    },
  })

test('a batch that fails is delivered one by one: only the request that cannot be stored is told so', async () => {
  const world = await aWorld()
  const deliver = deliverInGroups()
  const stores = ids.map((id) =>
    id === 'u9' ? aBrokenStore(world) : world.services.openStore(createMeter()),
  )

  const outcomes = await Promise.allSettled(
    ids.map((id, index) => deliver(stores[index] as Store, world.now, documentOf(id))),
  )

  expect(outcomes.map(({ status }) => status)).toEqual([...Array(9).fill('fulfilled'), 'rejected'])
  expect(await suspenseOf(world)).toHaveLength(9)
})

test('no document is acknowledged before it is stored, and what arrives meanwhile is the next batch', async () => {
  const world = await aWorld()
  const deliver = deliverInGroups()
  const store = world.services.openStore(createMeter())
  const acknowledged: string[] = []
  const unstored: string[] = []
  const send = async (id: string) => {
    await deliver(store, world.now, documentOf(id))
    acknowledged.push(id)
    if ((await suspenseOf(world)).length < acknowledged.length) unstored.push(id)
  }

  const first = send('u0')
  const second = new Promise((resolve) => setTimeout(resolve, 15)).then(() => send('u1'))
  await Promise.all([first, second])

  expect([acknowledged.sort(), unstored]).toEqual([['u0', 'u1'], []])
})

test('each switch has its own answer: a wrong secret and a broken CDR in the same moment hurt only themselves', async () => {
  const world = await aWorld({ users: people })
  const authorization = await anIntake(world, 'gw')
  const deliver = deliverInGroups()
  const send = (body: string, header = authorization) =>
    post(world, 'csv', {
      deliver,
      name: 'intake_locally',
      body,
      headers: { authorization: header, 'content-type': 'text/csv' },
    })

  const answers = await Promise.all([
    send(csv([{ uniqueid: 'a', account_code: 'nobody' }])),
    send(csv([{ uniqueid: 'b', account_code: 'nobody' }]), 'Basic bm86bm8='),
    send('uniqueid,start\nc,yesterday\n'),
    send(csv([{ uniqueid: 'd', account_code: 'nobody' }])),
  ])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401, 200, 200])
  const reasons = (await suspenseOf(world)).map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === 'unknown_account')).toHaveLength(2)
  expect(reasons).toHaveLength(3)
})
