import { existsSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aWorld } from '#test/world.ts'
import { healthRoutes } from './health.ts'
import { createMetrics } from './metrics.ts'

async function ask(
  path: string,
  {
    isDown = false,
    ...files
  }: { isDown?: boolean; folder?: string; database?: string; lastBackup?: string } = {},
) {
  const { store } = await aWorld()
  const down = { ...store, get: () => Promise.reject(new Error('connect ECONNREFUSED')) }
  const route = healthRoutes(isDown ? down : store, createMetrics(), { folder: tmpdir(), ...files }).find(
    (one) => one.path === path,
  )
  return route?.handler({} as APIGatewayProxyEvent, {} as Context)
}

test('health is 200 while the table answers, and 503 without it', async () => {
  expect(await ask('/health')).toMatchObject({ statusCode: 200, body: '{"status":"ok"}' })
  expect(await ask('/health', { isDown: true })).toMatchObject({ statusCode: 503 })
})

/** A file system without a free block. */
const FULL = '/proc'

test.runIf(existsSync(FULL))('health is 503 while the disk of the database is full', async () => {
  expect(await ask('/health', { folder: tmpdir() })).toMatchObject({ statusCode: 200 })
  expect(await ask('/health', { folder: FULL })).toMatchObject({
    statusCode: 503,
    body: '{"status":"the disk is full"}',
  })
})

test('a backup that is older than a day is told, and a younger or no one is not', async () => {
  const lastBackup = join(mkdtempSync(join(tmpdir(), 'tollgate-')), 'last-backup')
  const health = async () => JSON.parse((await ask('/health', { lastBackup }))?.body ?? '')
  const metric = async () =>
    /^tollgate_backup_age_seconds (\d+)$/m.exec((await ask('/metrics', { lastBackup }))?.body ?? '')?.[1]
  expect([await health(), await metric()]).toEqual([{ status: 'ok' }, undefined])

  writeFileSync(lastBackup, '')
  expect([await health(), Number(await metric()) < 60]).toEqual([{ status: 'ok' }, true])
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  utimesSync(lastBackup, twoDaysAgo, twoDaysAgo)

  expect(await health()).toEqual({ status: 'ok', backup: 'older than a day' })
  expect(Number(await metric())).toBeGreaterThan(86_400)
})

test('an installation that has never had a backup is told a day after its database was made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'))
  const [database, lastBackup] = [join(folder, 'shop.db'), join(folder, 'shop.last-backup')]
  writeFileSync(database, '')
  const health = async () => JSON.parse((await ask('/health', { database, lastBackup }))?.body ?? '')
  expect(await health()).toEqual({ status: 'ok' })

  vi.useFakeTimers({ now: Date.now() + 86_460_000, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())

  expect(await health()).toEqual({ status: 'ok', backup: 'older than a day' })
  writeFileSync(lastBackup, '')
  utimesSync(lastBackup, new Date(), new Date())
  expect(await health()).toEqual({ status: 'ok' })
})

test('metrics are in the format of Prometheus', async () => {
  expect(await ask('/metrics')).toMatchObject({
    statusCode: 200,
    headers: { 'Content-Type': expect.stringContaining('text/plain') },
    body: expect.stringContaining('# TYPE tollgate_calls_stored_total counter'),
  })
})
