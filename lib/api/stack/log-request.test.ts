import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { ApiError } from '#lib/api/errors.ts'
import type { Services } from '#lib/api/method.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Store } from '#lib/table/store.ts'
import type { Content } from '#lib/xml/element.ts'
import { passThrough } from '#test/middleware.ts'
import { logRequest } from './log-request.ts'

const contract = {
  name: 'devices_get',
  access: 'read',
  params: {},
  hashOrders: [],
  callers: 'public',
} as const

/** A log with a clock that advances by seven milliseconds at each reading. */
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
      invocation: 'invocation-1',
      round_trips: 0,
      read_units: 0,
      write_units: 0,
    },
  ])
})

test('a refusal is one line with its message, a bug one line with its stack and cause', async () => {
  const { lines, middleware } = aLog()
  const fail = (error: Error) => passThrough(middleware, { run: () => Promise.reject(error) }).catch(() => {})

  await fail(new ApiError('No', 'method'))
  await fail(new Error('a bug', { cause: new Error('its cause') }))
  await fail(new Refusal('missing_value', { takes: 'a day' }))

  expect(lines).toMatchObject([
    { outcome: 'refused', refusal: 'No' },
    {
      outcome: 'failed',
      error: { message: 'a bug', stack: expect.any(String), cause: { message: 'its cause' } },
    },
    { outcome: 'failed', error: { message: 'missing_value {"takes":"a day"}', stack: expect.any(String) } },
  ])
})

test('a stream is logged when it has been sent, has failed, or its reader has left', async () => {
  const { lines, middleware } = aLog()
  const streaming = (body: Readable) =>
    passThrough(middleware, { run: () => ({ statusCode: 200, headers: {}, body }) as unknown as Content })
  const body = () => Readable.from(['a', 'b', 'c', 'd'])
  const [whole, failed, left, aborted] = [body(), body(), body(), body()]

  for (const one of [whole, failed, left, aborted]) await streaming(one)
  expect(lines).toEqual([])
  await whole.toArray()
  failed.destroy(new Error('the table is gone'))
  left.destroy()
  const to = new PassThrough({ highWaterMark: 1 })
  const sent = pipeline(aborted, to)
  for await (const _ of to) break
  await expect(sent).rejects.toThrow('aborted')

  await expect.poll(() => lines).toHaveLength(4)
  const outcomes = lines.map(({ outcome, error }) => [outcome, error !== undefined]).sort()
  expect(outcomes).toEqual([
    ['answered', false],
    ['broken off', false],
    ['broken off', false],
    ['failed', true],
  ])
})
