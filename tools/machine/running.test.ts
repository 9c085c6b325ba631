import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceRunning, endpointsOf, listRunning } from './running.ts'

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-running-'))
  return folder
}

const installation = (port: number, hour: number) => ({
  url: `http://localhost:${port}`,
  dataset: `/data/${port}`,
  location: { tableName: 'tollgate', endpoint: `http://127.0.0.1:${port + 5000}` },
  startedAt: `2026-03-10T${hour}:00:00.000Z`,
})

test('installations are listed while they run, the earliest first', async () => {
  const folder = await aFolder()
  expect(listRunning(folder)).toEqual([])

  const endLate = await announceRunning(folder, installation(4801, 12))
  const endEarly = await announceRunning(folder, installation(4802, 11))
  expect(listRunning(folder)).toEqual([installation(4802, 11), installation(4801, 12)])
  await endEarly()
  expect(listRunning(folder)).toEqual([installation(4801, 12)])
  expect(endpointsOf(folder, '/data/4801')).toEqual(['http://127.0.0.1:9801'])
  expect(endpointsOf(folder, '/data/4802')).toEqual([])
  await endLate()
  expect(listRunning(folder)).toEqual([])
})
