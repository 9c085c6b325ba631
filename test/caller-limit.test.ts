import { beforeEach, expect, test, vi } from 'vitest'
import { callerLimit } from '#lib/api/caller-limit.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { aControlEndpoint } from '#test/control/switch.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { people } from '#test/examples/examples.ts'
import { basic } from '#test/mediation/intake.ts'
import { aWorld, bodyOf, pass, signedForm } from '#test/world.ts'
import { method as devicesGet } from '../functions/devices/devices_get.ts'

beforeEach(() => void vi.stubEnv('CALLER_LIMIT', '2'))

const TOO_MANY =
  '<?xml version="1.0" encoding="UTF-8"?><page><status><error>Too many requests</error></status></page>'

/** A function that stays warm. */
async function aFunction() {
  const world = await aWorld({ users: people })
  const handler = serve(devicesGet, world.services)
  const send = (u: string, address = '192.0.2.1') =>
    handler(
      anEvent({ body: signedForm(devicesGet, { u }), address, headers: { 'accept-encoding': '' } }),
      aContext(),
    )
  const statusOf = async (u: string, address?: string) => (await send(u, address)).statusCode
  return { world, send, statusOf }
}

test('beyond its limit an account is told when to come back, and nothing is read', async () => {
  const { world, send, statusOf } = await aFunction()
  expect([await statusOf('bob'), await statusOf('bob')]).toEqual([200, 200])

  const answer = await send('bob')

  expect([answer.statusCode, bodyOf(answer), answer.headers?.['Retry-After']]).toEqual([429, TOO_MANY, '60'])
  expect(world.log.at(-1)).toMatchObject({
    outcome: 'refused',
    refusal: 'Too many requests',
    round_trips: 0,
    read_units: 0,
  })
})

test('other accounts and other addresses are not held up, and a minute later nobody is', async () => {
  const { world, statusOf } = await aFunction()
  for (let sent = 0; sent < 5; sent += 1) await statusOf('bob')

  expect(await statusOf('ann')).toBe(200)
  expect(await statusOf('bob', '192.0.2.2')).toBe(200)
  pass(world, 59)
  expect(await statusOf('bob')).toBe(429)
  pass(world, 1)
  expect(await statusOf('bob')).toBe(200)
})

test('a request that is refused for its signature counts, too', async () => {
  const { world, send } = await aFunction()
  const handler = serve(devicesGet, world.services)
  const forged = () => handler(anEvent({ body: 'u=bob&hash=1' }), aContext())
  const statuses = [await forged(), await forged(), await forged()].map(({ statusCode }) => statusCode)

  expect(statuses).toEqual([200, 200, 429])
  expect((await send('bob')).statusCode).toBe(200)
})

test.each(['', '0', '-1', 'many'])('%j is no limit', (value) => {
  vi.stubEnv('CALLER_LIMIT', value)
  const isWithinLimit = callerLimit()

  expect([1, 2, 3, 4].every(() => isWithinLimit('bob', '192.0.2.1', new Date()))).toBe(true)
})

test('ten thousand further callers push out the count of the first one: memory is bounded', () => {
  const isWithinLimit = callerLimit(1)
  const now = new Date()
  isWithinLimit('bob', '192.0.2.1', now)
  expect(isWithinLimit('bob', '192.0.2.1', now)).toBe(false)

  for (let caller = 0; caller < 10_000; caller += 1) isWithinLimit(`caller ${caller}`, '192.0.2.2', now)

  expect(isWithinLimit('bob', '192.0.2.1', now)).toBe(true)
})

test('the console answers in its own form', async () => {
  const client = aConsoleClient(await aWorld({ users: people }))
  await client.signIn('bob', 'wrong')
  await client.signIn('bob', 'wrong')

  const { status, headers, body } = await client.signIn('bob', 'wrong')

  expect([status, headers['Retry-After'], body]).toMatchObject([
    429,
    '60',
    { error: { code: 'too_many_requests', message: 'Too many requests' } },
  ])
})

test.each(['intake', 'call control'])('%s holds up a switch before it reads anything', async (which) => {
  const world = await aWorld()
  const intake = intakeEndpoint(deliverToTable, world.services)
  const ofIntake = (request: Request) =>
    intake({ ...anEvent(request), pathParameters: { format: 'csv' } }, aContext())
  const endpoint = which === 'intake' ? ofIntake : aControlEndpoint(world, 'authorize')
  const headers = { authorization: basic('fs1', 'wrong') }
  const send = () => endpoint({ headers, body: '' })
  await send()
  await send()

  const { statusCode, headers: answered } = await send()

  expect([statusCode, answered?.['Retry-After']]).toEqual([429, '60'])
  expect(world.log.at(-1)).toMatchObject({ outcome: 'over_limit', read_units: 0, write_units: 0 })
})
