import { expect, test } from 'vitest'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld, type World } from '#test/world.ts'

/** Asks for a page, and returns its body with what the reading cost. */
async function ask(world: World, who: string, path: string) {
  const client = await aSignedClient(world, who)
  const { status, body } = await client.get(path)
  const { round_trips, read_units } = world.log.at(-1) as { round_trips: number; read_units: number }
  return { status, body, round_trips, read_units }
}

const invoicesOfBob = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${from + index}`,
    user_id: '10',
    number: `A-${from + index}`,
    issue_date: '2026-03-09',
    price: '10',
  }))

test('the page of a customer says what all of its documents come to, and reads none', async () => {
  const world = await aWorld(estates)
  await world.given({ invoices: invoicesOfBob(10_000, 520) })
  const few = await ask(world, 'admin', '/customers/10')
  await world.given({ invoices: invoicesOfBob(20_000, 800) })
  const many = await ask(world, 'admin', '/customers/10')

  const owed = ({ body }: typeof few) => (body['ledger'] as { currency: string; owed: string }[])[0]?.owed
  expect([owed(few), owed(many)]).toEqual(['5168.0000', '13168.0000'])
  expect(many.read_units).toBe(few.read_units)
  expect(many.round_trips).toBe(few.round_trips)
  expect(many.read_units).toBeLessThan(50)
})

test('the page of a customer has the first 500 devices, and their number', async () => {
  const world = await aWorld(estates)
  await world.given({
    devices: Array.from({ length: 520 }, (_, index) => ({
      id: `${5000 + index}`,
      user_id: '10',
      name: `many-${index}`,
    })),
  })
  const { body } = await ask(world, 'admin', '/customers/10')

  expect([(body['devices'] as unknown[]).length, body['deviceCount']]).toEqual([500, 521])
})

test('the calls in progress of a reseller are read once, however many they are', async () => {
  const world = await aWorld(estates)
  await world.given({
    active_calls: Array.from({ length: 400 }, (_, index) => ({
      id: `${index + 1}`,
      start_time: `@now-${index + 10}s`,
      src: '37000000001',
      localized_dst: '37060012345',
      user_id: '20',
    })),
  })
  const { body, round_trips, read_units } = await ask(world, 'rick', '/live-calls')

  expect([body['total'], (body['calls'] as unknown[]).length]).toEqual([400, 100])
  expect([round_trips, read_units]).toEqual([3, 20.5])
})
