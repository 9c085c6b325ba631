import { expect, test } from 'vitest'
import { alertKeys, waitingIn } from '#lib/alerts/event.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'

const unreadable = (text: string) => ({
  type: 'switch_record',
  source: 'sip1',
  format: 'kamailio-json',
  document: `not JSON ${text}`,
})

test('suspended CDRs are told to admins once an hour, and to nobody without a subscription', async () => {
  const world = await aWorld({ users: people })
  const told = async () => {
    const item = await world.store.get(alertKeys.item('suspense'))
    return item ? waitingIn(item).map(([, { body }]) => JSON.parse(body).data) : []
  }
  await consume(world, unreadable('one'))
  expect(await world.store.get(alertKeys.item('suspense'))).toBeUndefined()
  await anEndpoint(world, { events: ['suspense.grown'] })

  await consume(world, unreadable('two'), unreadable('three'))
  await consume(world, unreadable('four'))

  expect(await told()).toEqual([{ count: 2, reasons: { unreadable: 2 } }])
  world.now = new Date(world.now.getTime() + 3_600_000)
  await consume(world, unreadable('five'))
  expect(await told()).toHaveLength(2)
})
