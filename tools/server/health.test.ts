import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { aWorld } from '#test/world.ts'
import { healthRoutes } from './health.ts'
import { createMetrics } from './metrics.ts'

async function ask(path: string, isDown = false) {
  const { store } = await aWorld()
  const down = { ...store, get: () => Promise.reject(new Error('connect ECONNREFUSED')) }
  const route = healthRoutes(isDown ? down : store, createMetrics()).find((one) => one.path === path)
  return route?.handler({} as APIGatewayProxyEvent, {} as Context)
}

test('health is 200 while the table answers, and 503 without it', async () => {
  expect(await ask('/health')).toMatchObject({ statusCode: 200, body: '{"status":"ok"}' })
  expect(await ask('/health', true)).toMatchObject({ statusCode: 503 })
})

test('metrics are in the format of Prometheus', async () => {
  expect(await ask('/metrics')).toMatchObject({
    statusCode: 200,
    headers: { 'Content-Type': expect.stringContaining('text/plain') },
    body: expect.stringContaining('# TYPE tollgate_calls_stored_total counter'),
  })
})
