import { expect, test } from 'vitest'
import { createMeter, OutOfTime } from '#lib/table/requests/meter.ts'
import { suspenseOf } from '#test/dump.ts'
import { csv } from '#test/mediation/csv-switch.ts'
import { aWorld, type World } from '#test/world.ts'
import { deliverToTable, PARTS_OF_A_STEP } from './deliver-to-table.ts'

/** The store of a request whose time ends after a number of requests to the table. */
function storeFor({ services }: World, requests: number) {
  const controller = new AbortController()
  const { signal } = controller
  const time = { signal, left: () => (signal.aborted ? 0 : 60_000), stop: () => {} }
  const meter = createMeter({ time })
  const start = () => {
    if (meter.spent.requests >= requests) controller.abort(new OutOfTime('nothing done'))
    return meter.start()
  }
  return { meter, store: services.openStore({ ...meter, start }) }
}

test('a document longer than a request makes progress with each send, until it is accepted', async () => {
  const world = await aWorld()
  const cdrs = Array.from({ length: 2 * PARTS_OF_A_STEP + 1 }, (_, index) => ({
    uniqueid: `u${index}`,
    account_code: 'nobody',
  }))
  const document = { format: 'csv', source: 'gw', zone: 'UTC', text: csv(cdrs) } as const
  let requests = 0
  const isAccepted = async () => {
    const { store, meter } = storeFor(world, REQUESTS_OF_A_STEP)
    const accepted = await deliverToTable(store, world.now, document).then(
      () => true,
      (error: unknown) => !(error instanceof OutOfTime),
    )
    requests += meter.spent.requests
    return accepted
  }
  const sends = [await isAccepted(), await isAccepted(), await isAccepted()]

  expect(sends).toEqual([false, false, true])
  expect(await suspenseOf(world)).toHaveLength(cdrs.length)
  expect(requests).toBeLessThan(3 * REQUESTS_OF_A_STEP)
})

/** A step with unknown accounts takes fewer: one for each 25 new entries of suspense, and its lookups. */
const REQUESTS_OF_A_STEP = 23
