import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import autocannon from 'autocannon'
import { findFunctionFile } from '#lib/local/contracts/function-files.ts'
import { demoKey, exampleOf } from '#lib/local/contracts/generated-files.ts'
import { signedParameters } from '#lib/local/contracts/signed-call.ts'
import { dataFilesOf, demoDataset, prepareDataFolder } from '#lib/local/data-folder.ts'
import { freePort } from '#lib/local/server/engine.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { callerKey } from '#lib/store/keys.ts'
import { createClient } from '#lib/store/requests/client.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { killServer, locationAt, startServer } from '#lib/testing/soak/server-process.ts'
import type { BenchmarkTable } from './report.ts'

const METHODS = ['devices_get', 'rate_get', 'quickstats_get', 'user_calls_get', 'device_create']

/** Requests under way at once. */
const CONNECTIONS = 10

/** Loads `npm start` on a copy of the demo over HTTP: each method alone, then all of them together for the memory. */
export async function benchLoad(seconds: number): Promise<BenchmarkTable> {
  const folder = join(await mkdtemp(join(tmpdir(), 'tollgate-load-')), 'demo')
  await cp(demoDataset, folder, { recursive: true })
  const port = await freePort()
  const server = await startServer(folder, port)
  try {
    return await measure(`http://localhost:${port}`, seconds, locationAt(port), () => memoryOf(server.pid))
  } finally {
    await killServer(server)
    await setTimeout(500)
    await prepareDataFolder(dataFilesOf(folder), true)
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  url: string,
  seconds: number,
  location: TableLocation,
  memory: () => number,
): Promise<BenchmarkTable> {
  const constant = await shoot(url, seconds, [{ method: 'POST', path: '/api/no_such_method' }])
  const bare = await bareReads(location, seconds)
  const rows: [string, ...string[]][] = []
  const requests = await Promise.all(METHODS.map(requestTo))
  for (const [at, request] of requests.entries()) {
    const result = await shoot(url, seconds, [request])
    rows.push([METHODS[at] ?? '', ...figures(result), ratio(result, bare), ratio(result, constant.perSecond)])
  }
  const before = memory()
  const mixed = await shoot(url, 3 * seconds, requests)
  rows.push(['all of them together', ...figures(mixed), ratio(mixed, bare), ratio(mixed, constant.perSecond)])
  return {
    title: `Load: \`npm start\` with the demo, ${CONNECTIONS} requests at once (memory ${before} MB before the mix, ${memory()} MB after it)`,
    columns: ['method', 'p50', 'p99', 'errors', 'of the bare reads', 'of a constant answer'],
    rows,
  }
}

async function requestTo(name: string): Promise<autocannon.Request> {
  const { method } = await findFunctionFile(name)
  const body = new URLSearchParams(signedParameters(method, exampleOf(name), demoKey())).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path: `/api/${name}`, headers, body }
}

interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
}

async function shoot(url: string, seconds: number, requests: autocannon.Request[]): Promise<Load> {
  const {
    requests: sent,
    latency,
    errors,
    timeouts,
  } = await autocannon({
    ...{ url, requests, connections: CONNECTIONS, duration: seconds },
  })
  return { perSecond: sent.average, p50: latency.p50, p99: latency.p99, errors: errors + timeouts }
}

const figures = ({ p50, p99, errors }: Load): string[] => [`${p50} ms`, `${p99} ms`, String(errors)]

const ratio = ({ perSecond }: Load, floor: number): string => (perSecond / floor).toFixed(2)

/** The reads of devices_get through AWS's client without anything around them, per second. */
async function bareReads({ tableName, endpoint }: TableLocation, seconds: number): Promise<number> {
  const client = createClient({ tableName, ...(endpoint && { endpoint }) })
  const until = Date.now() + seconds * 1000
  let count = 0
  const read = async () => {
    while (Date.now() < until) {
      const Keys = [settingsKey, callerKey('admin')]
      await client.send(new BatchGetCommand({ RequestItems: { [tableName]: { Keys } } }))
      await client.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': 'USER#10' },
        }),
      )
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, read))
  client.destroy()
  return count / seconds
}

/** The resident memory of a process in MB. */
function memoryOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1000)
}
