import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { ApiError } from '#lib/api/errors.ts'
import type { Services } from '#lib/api/services.ts'
import type { Store } from '#lib/store/store.ts'
import { passThrough } from '#lib/testing/middleware.ts'
import type { Content } from '#lib/xml/element.ts'
import { logRequest } from './log-request.ts'

const contract = {
  name: 'devices_get',
  access: 'read',
  params: {},
  hashOrders: [],
  callers: 'public',
} as const

/** A clock that goes on by seven milliseconds from one look to the next. */
function aLog() {
  const lines: Readonly<Record<string, unknown>>[] = []
  const times = [0, 7, 14, 21, 28].values()
  const services = {
    log: (line: Readonly<Record<string, unknown>>) => lines.push(line),
    clock: () => new Date(times.next().value ?? 0),
    openStore: () => ({}) as Store,
  } as unknown as Services
  return { lines, middleware: logRequest(contract, services) }
}

test('an answer is one line with its cost', async () => {
  const { lines, middleware } = aLog()

  await passThrough(middleware)

  expect(lines).toEqual([
    {
      method: 'devices_get',
      caller: undefined,
      outcome: 'answered',
      milliseconds: 7,
      request: 'request-1',
      round_trips: 0,
      read_units: 0,
      write_units: 0,
    },
  ])
})

test('a refusal is one line with its words, a bug one with its stack and cause', async () => {
  const { lines, middleware } = aLog()
  const fail = (error: Error) => passThrough(middleware, { run: () => Promise.reject(error) }).catch(() => {})

  await fail(new ApiError('No', 'method'))
  await fail(new Error('a bug', { cause: new Error('its cause') }))

  expect(lines).toMatchObject([
    { outcome: 'refused', refusal: 'No' },
    {
      outcome: 'failed',
      error: { message: 'a bug', stack: expect.any(String), cause: { message: 'its cause' } },
    },
  ])
})

test('a stream is logged when it has left, or when it broke off', async () => {
  const { lines, middleware } = aLog()
  const streaming = (body: Readable) =>
    passThrough(middleware, { run: () => ({ statusCode: 200, headers: {}, body }) as unknown as Content })
  const [whole, broken] = [Readable.from(['a']), Readable.from(['a'])]

  await streaming(whole)
  await streaming(broken)
  expect(lines).toEqual([])
  broken.destroy(new Error('broken off'))
  await whole.toArray()

  await expect.poll(() => lines.map(({ outcome }) => outcome).sort()).toEqual(['answered', 'failed'])
})
