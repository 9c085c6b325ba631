import { once } from 'node:events'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { aContext, anEvent } from '#test/event.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { type Around, aroundRequests, conflict } from '#test/faults/around-requests.ts'
import { aWorld, bodyOf, signedForm, type World, withClient } from '#test/world.ts'
import { method as deviceCreate } from '../../../functions/devices/device_create.ts'
import { method as devicesGet } from '../../../functions/devices/devices_get.ts'
import { serve } from './stack.ts'

/** Longer than the second that is reserved for the answer. In milliseconds. */
const SHORT = 1250

/** Longer than the reads before a write take on any machine. In milliseconds. */
const LONG = 900_000

/** Sends a request of admin about Bob, `remaining` milliseconds before its function times out. */
async function send(
  world: World,
  method: Method,
  { around, remaining }: { around: Around; remaining: number },
) {
  const { services } = withClient(world, aroundRequests(world.table.client, around))
  const body = signedForm(method, { u: 'admin', user_id: 10 })
  const answer = await serve(method, services)(anEvent({ body }), aContext(remaining))
  return { status: answer.statusCode, body: bodyOf(answer) }
}

const aFullWorld = () => aWorld({ users: people, devices: exampleDevices })

/** A request to the table that is never answered. */
const silence = () => new Promise<never>(() => {})

const tryAgain = {
  status: 503,
  body: expect.stringContaining('<page><status><error>Try again</error></status></page>'),
}

test('a request without time sends nothing', async () => {
  const world = await aFullWorld()
  let sent = 0
  const count: Around = (_command, work) => {
    sent += 1
    return work()
  }

  expect(await send(world, devicesGet, { around: count, remaining: 300 })).toEqual(tryAgain)
  expect(sent).toBe(0)
})

test('a table that does not answer a read: nothing was done', async () => {
  expect(await send(await aFullWorld(), devicesGet, { around: silence, remaining: SHORT })).toEqual(tryAgain)
})

test('a table that does not answer a write: the outcome is unknown', async () => {
  const world = await aFullWorld()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const around: Around = (command, work) => {
    if (!(command instanceof TransactWriteCommand)) return work()
    setImmediate(() => vi.advanceTimersByTime(LONG))
    return silence()
  }

  expect(await send(world, deviceCreate, { around, remaining: LONG })).toEqual({
    status: 500,
    body: expect.stringContaining('<error>The outcome is unknown</error>'),
  })
})

test('after its answer, a request sends nothing to the table', async () => {
  const world = await aFullWorld()
  const stored = async () => (await world.dump()).filter(({ PK }) => !/^(ID|RACES)#/.test(String(PK)))
  const before = await stored()
  const sentAfterwards: object[] = []
  let answered = false
  const around: Around = async (command, work) => {
    if (answered) sentAfterwards.push(command)
    if (command instanceof TransactWriteCommand) throw conflict()
    return work()
  }

  const answer = await send(world, deviceCreate, { around, remaining: SHORT })
  answered = true
  await once(AbortSignal.timeout(1500), 'abort')

  expect(answer).toEqual(tryAgain)
  expect(sentAfterwards).toEqual([])
  expect(await stored()).toEqual(before)
})
